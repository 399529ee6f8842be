#include "dragoman/experiment/measure_trial.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/experiment/measurements.h"

#include <algorithm>
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

/// The name under which a part is stored. Lengths depend on the limits.
std::string stored_name(const std::string& part, const Experiment& experiment) {
  auto name = concat(part, ' ', measuring_rules);
  return part == "lengths" ? concat(name, ' ', json(experiment.length_limits).dump()) : name;
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
  take(all.lengths, part.lengths);
  take(all.answers, part.answers);
  take(all.version, part.version);
  take(all.device, part.device);
  take(all.failure, part.failure);
}

}  // namespace

void measure_trial(const Experiment& experiment, const std::filesystem::path& run_dir,
                   const TrialTexts& texts) {
  auto parts = read_parts(run_dir);
  const FinishedTrial trial(run_dir, texts);
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
  write_parts(run_dir, {{failure_part, record}});
}

void restore_measures(const Experiment& experiment, const TrialRecord& record,
                      const std::filesystem::path& run_dir) {
  auto parts = read_parts(run_dir);
  if (!record.failure.empty()) {
    if (!parts.empty()) return;
    make_folder(run_dir);
    note_failure(run_dir, record.failure);
    return;
  }
  for (const auto& part : parts_of(experiment)) {
    auto restored = record;
    if (part != "gradients") restored.gradients.clear();
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
