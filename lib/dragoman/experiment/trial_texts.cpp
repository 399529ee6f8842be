#include "dragoman/experiment/trial_texts.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/experiment/tasks/task_text.h"
#include "dragoman/storage/sha256.h"

#include <algorithm>
#include <filesystem>

namespace dragoman {

namespace {

std::string both_names(const std::string& source, const std::string& target) {
  const auto name = [](const std::string& file) {
    return std::filesystem::path(file).filename().string();
  };
  return name(source) + " and " + name(target);
}

}  // namespace

bool TrialTexts::complete() const {
  return !train_source.empty() && !train_target.empty() && !valid_source.empty() &&
         !valid_target.empty() && !test_source.empty() && !test_target.empty();
}

bool TrialTexts::any() const {
  return !train_source.empty() || !train_target.empty() || !valid_source.empty() ||
         !valid_target.empty() || !test_source.empty() || !test_target.empty();
}

void expect_text(const Experiment& experiment, const TrialTexts& texts) {
  auto files = texts.train_source;
  files.insert(files.end(), texts.train_target.begin(), texts.train_target.end());
  files.insert(files.end(),
               {texts.valid_source, texts.valid_target, texts.test_source, texts.test_target});
  if (std::ranges::find(files, "-") != files.end())
    throw OptionsError(
        "experiment: the texts are read several times, which standard input (-) cannot "
        "be; write it to a file");
  for (const auto& file : files) expect_regular(file);
  if (experiment.needs_text() && !texts.complete())
    throw OptionsError(concat("experiment ", experiment.name,
                              ": needs your own text; give --train-source, --train-target, "
                              "--valid-source, --valid-target, --test-source and --test-target"));
}

TrialTexts task_texts(const TaskOptions& task, const std::filesystem::path& dir) {
  const auto folder = dir / ("task-" + sha256_hex(task_identity(task)).substr(0, 12));
  const auto file = [&](const char* name) { return (folder / name).string(); };
  if (!std::filesystem::exists(file("test.target"))) write_task_text(task, folder);
  return {.train_source = {file("train.source")},
          .train_target = {file("train.target")},
          .valid_source = file("valid.source"),
          .valid_target = file("valid.target"),
          .test_source = file("test.source"),
          .test_target = file("test.target"),
          .task = task.kind};
}

std::string TrialTexts::description() const {
  if (!complete()) return "No text but that of synthetic tasks";
  std::string text = "Trained on ";
  for (std::size_t i = 0; i < train_source.size() && i < train_target.size(); ++i)
    text += concat(i > 0 ? ", " : "", both_names(train_source[i], train_target[i]));
  return concat(text, "; losses and calibration on ", both_names(valid_source, valid_target),
                "; BLEU on ", both_names(test_source, test_target));
}

std::vector<LinePair> read_filled_pairs(const std::string& source, const std::string& target) {
  auto pairs = read_parallel(std::vector{source}, std::vector{target});
  std::erase_if(pairs,
                [](const LinePair& pair) { return pair.source.empty() || pair.target.empty(); });
  if (pairs.empty())
    throw DataError(concat(source, ": no pair has text on both sides; give other files"));
  return pairs;
}

std::vector<LinePair> first_training_pairs(const TrialTexts& texts, std::int64_t count) {
  ParallelText text(texts.train_source, texts.train_target);
  std::vector<LinePair> pairs;
  while (std::ssize(pairs) < count) {
    auto pair = text.next();
    if (!pair) break;
    if (!pair->source.empty() && !pair->target.empty()) pairs.push_back(std::move(*pair));
  }
  return pairs;
}

}  // namespace dragoman
