#include "dragoman/experiment/measure_trial.h"

#include "dragoman/analysis/word_relations.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/quantity.h"
#include "dragoman/experiment/measurements.h"
#include "dragoman/experiment/measures.h"
#include "dragoman/storage/sha256.h"

#include <algorithm>
#include <iterator>
#include <sstream>
#include <vector>

namespace dragoman {

namespace {

using nlohmann::json;

constexpr const char* default_part = "usual";
constexpr const char* failure_part = "failure";

/// The parts of an experiment.
std::vector<std::string> parts_of(const Experiment& experiment) {
  std::vector<std::string> parts = {default_part};
  parts.insert(parts.end(), experiment.measure.begin(), experiment.measure.end());
  return parts;
}

std::filesystem::path word_pairs_of(const Experiment& experiment) {
  return experiment.folder / experiment.word_pairs;
}

/// The name under which a part is stored. Lengths depend on the limits, heads on the relations.
std::string stored_name(const std::string& part, const Experiment& experiment) {
  auto name = concat(part, ' ', measuring_rules);
  if (part == "lengths") name += concat(' ', json(experiment.length_limits).dump());
  if (part == "heads") name += concat(' ', word_pairs_identity(experiment));
  return name;
}

std::filesystem::path file_of(const std::filesystem::path& run_dir) {
  return run_dir / "measures.json";
}

/// By part; empty if nothing has been measured.
json read_parts(const std::filesystem::path& run_dir) {
  if (!std::filesystem::exists(file_of(run_dir))) return json::object();
  const auto parts = json::parse(read_file(file_of(run_dir)), nullptr, /*allow_exceptions=*/false);
  return parts.is_object() ? parts : json::object();
}

void write_parts(const std::filesystem::path& run_dir, const json& parts) {
  write_file_atomically(file_of(run_dir), parts.dump(1) + '\n');
}

TrialRecord measured(const std::string& part, const Experiment& experiment,
                     const FinishedTrial& trial) {
  if (part == default_part) return measure_default(trial);
  if (part == "gradients") return measure_gradients(trial);
  if (part == "saturation") return measure_saturation(trial);
  if (part == "answers") return measure_answers(trial);
  if (part == "heads") {
    auto record = measure_heads(trial, read_word_pairs(word_pairs_of(experiment)));
    record.word_pairs = word_pairs_identity(experiment);
    return record;
  }
  return measure_lengths(trial, experiment.length_limits);
}

template <typename Values>
void take(Values& all, Values part) {
  if (!part.empty()) all = std::move(part);
}

void add(TrialRecord& all, TrialRecord part) {
  all.values.merge(part.values);
  all.jackknife.merge(part.jackknife);
  take(all.train.step, part.train.step);
  take(all.train.nll, part.train.nll);
  take(all.valid.step, part.valid.step);
  take(all.valid.nll, part.valid.nll);
  take(all.reliability, part.reliability);
  take(all.gradients, part.gradients);
  take(all.heads, part.heads);
  take(all.word_pairs, part.word_pairs);
  take(all.lengths, part.lengths);
  take(all.answers, part.answers);
  take(all.version, part.version);
  if (part.threads != 0) all.threads = part.threads;
  take(all.device, part.device);
  take(all.failure, part.failure);
}

std::int64_t count_words(const std::string& text) {
  std::istringstream words(text);
  return std::distance(std::istream_iterator<std::string>(words), {});
}

}  // namespace

std::string word_pairs_identity(const Experiment& experiment) {
  if (!experiment.measures("heads")) return {};
  return sha256_hex(read_file(word_pairs_of(experiment)));
}

void expect_word_pairs(const Experiment& experiment, const TrialTexts& texts) {
  if (!experiment.measures("heads")) return;
  const auto file = word_pairs_of(experiment);
  const auto sentences = read_filled_pairs(texts.valid_source, texts.valid_target);
  const auto lines = read_word_pairs(file);
  if (lines.size() > sentences.size())
    throw DataError(concat(file.string(), ": has ", counted(std::ssize(lines), "line"), " for ",
                           counted(std::ssize(sentences), "pair"), " with text in ",
                           texts.valid_source, "; remove those that belong to no pair"));
  if (std::ranges::all_of(lines, [](const auto& relations) { return relations.empty(); }))
    throw DataError(file.string() + ": names no pair of words; write the relations of this text");
  std::size_t line = 0;
  for (const auto& relations : lines) {
    const auto words = count_words(sentences[line++].source);
    for (const auto& pair : relations)
      if (const auto word = std::max(pair.from, pair.to); word >= words)
        throw DataError(concat(file.string(), ": line ", line, ": names word ", word, " of ",
                               counted(words, "word"), " in ", texts.valid_source,
                               "; write the relations of this text, or leave the experiment ",
                               experiment.name, " out"));
  }
}

void measure_trial(const Experiment& experiment, const std::filesystem::path& run_dir,
                   const TrialTexts& texts) {
  auto parts = read_parts(run_dir);
  const FinishedTrial trial(run_dir, texts, experiment.train_pairs);
  for (const auto& part : parts_of(experiment)) {
    const auto name = stored_name(part, experiment);
    if (parts.contains(name)) continue;
    parts[name] = finite_part(measured(part, experiment, trial));
    write_parts(run_dir, parts);
  }
}

void note_failure(const std::filesystem::path& run_dir, const std::string& why) {
  TrialRecord record;
  record.failure = why;
  make_folder(run_dir);
  write_parts(run_dir, {{failure_part, record}});
}

namespace {

/// Leaves the measures of one part, and those without a name of their own to the part of all.
template <typename Values>
void keep_measures_of(std::string_view part, Values& values) {
  std::erase_if(values, [part](const auto& entry) {
    const auto own = part_of_measure(entry.first);
    return (own.empty() ? std::string_view(default_part) : own) != part;
  });
}

}  // namespace

void restore_measures(const Experiment& experiment, const TrialRecord& record,
                      const std::filesystem::path& run_dir) {
  auto parts = read_parts(run_dir);
  if (!record.failure.empty()) {
    if (parts.empty()) note_failure(run_dir, record.failure);
    return;
  }
  for (const auto& part : parts_of(experiment)) {
    auto restored = record;
    keep_measures_of(part, restored.values);
    keep_measures_of(part, restored.jackknife);
    if (part != "gradients") restored.gradients.clear();
    if (part != "heads") {
      restored.heads.clear();
      restored.word_pairs.clear();
    }
    if (part != "lengths") restored.lengths.clear();
    if (part != "answers") restored.answers.clear();
    parts.emplace(stored_name(part, experiment), std::move(restored));
  }
  make_folder(run_dir);
  write_parts(run_dir, parts);
}

bool is_measured(const Experiment& experiment, const std::filesystem::path& run_dir) {
  const auto done = read_parts(run_dir);
  if (done.contains(failure_part)) return true;
  const auto parts = parts_of(experiment);
  return std::ranges::all_of(
      parts, [&](const std::string& part) { return done.contains(stored_name(part, experiment)); });
}

TrialRecord read_measures(const Experiment& experiment, const std::filesystem::path& run_dir) {
  const auto done = read_parts(run_dir);
  std::vector<std::string> names = {failure_part};
  for (const auto& part : parts_of(experiment)) names.push_back(stored_name(part, experiment));
  const auto refuse = [&] {
    throw FormatError(concat(file_of(run_dir).string(),
                             ": is damaged; remove it, and the training is measured again"));
  };
  TrialRecord record;
  try {
    for (const auto& name : names)
      if (done.contains(name)) add(record, done.at(name).get<TrialRecord>());
  } catch (const json::exception&) {
    refuse();
  }
  if (!is_sound(record)) refuse();
  add_gradient_ratios(record);
  return record;
}

}  // namespace dragoman
