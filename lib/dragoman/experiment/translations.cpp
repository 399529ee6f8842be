#include "dragoman/experiment/translations.h"

#include "dragoman/core/file.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/experiment/tasks/task.h"
#include "dragoman/text/lines.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/scorer.h"

#include <algorithm>

namespace dragoman {

namespace {

/// Test sentences longer than those in training are translated whole, up to this many pieces.
constexpr std::int64_t longest_source = 256;

std::filesystem::path file_of_translations(const FinishedTrial& trial) {
  return trial.run_dir / "test.translated";
}

/// The stored translations, produced now if there are none.
std::vector<std::string> kept_translations(const FinishedTrial& trial) {
  const auto file = file_of_translations(trial);
  if (!std::filesystem::exists(file)) return translate_test(trial);
  auto lines = read_lines(file, LineUse::scoring);
  return lines.size() == trial.test.size() ? lines : translate_test(trial);
}

/// The given part of each target, if the text belongs to a task.
std::vector<std::string> given_of(const FinishedTrial& trial) {
  std::vector<std::string> given;
  if (trial.task != TaskKind::none)
    for (const auto& pair : trial.test) given.push_back(task_of(trial.task).given(pair.target));
  return given;
}

}  // namespace

std::vector<std::string> translate_test(const FinishedTrial& trial) {
  std::vector<std::string> sources, texts;
  for (const auto& pair : trial.test) sources.push_back(pair.source);
  const auto& options = trial.run.options;
  const LineTranslator translator(
      {inference_model(trial.run.model, options.search)}, trial.run.vocabulary, options.search,
      {.workers = 1,
       .max_source_length = std::max(longest_source, options.data.max_length),
       .seed = options.seed});
  const auto given = given_of(trial);
  std::string lines;
  for (const auto& translation : translator.translate(sources, {.prefixes = given})) {
    texts.push_back(translation.text());
    lines += texts.back() + '\n';
  }
  write_file_atomically(file_of_translations(trial), lines);
  return texts;
}

std::vector<std::string> targets_of(std::span<const LinePair> pairs) {
  std::vector<std::string> targets;
  for (const auto& pair : pairs) targets.push_back(pair.target);
  return targets;
}

std::vector<Answer> answers_of(const FinishedTrial& trial) {
  const auto& task = task_of(trial.task);
  const auto translations = kept_translations(trial);
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < trial.test.size(); ++i)
    answers.push_back({.length = task.length_of(trial.test[i]),
                       .right = translations[i] == trial.test[i].target});
  return answers;
}

std::vector<ScoredLine> scored_lines(const FinishedTrial& trial) {
  const auto& vocabulary = trial.run.vocabulary;
  const auto translations = kept_translations(trial);
  const auto scores = score_pairs({inference_model(trial.run.model)}, vocabulary, trial.test);
  std::vector<ScoredLine> lines;
  for (std::size_t i = 0; i < trial.test.size(); ++i) {
    const auto& pair = trial.test[i];
    lines.push_back({.source_len = std::ssize(vocabulary.source.encode(pair.source)),
                     .target_len = std::ssize(vocabulary.target.encode(pair.target)),
                     .translation = translations[i],
                     .reference = pair.target,
                     .nll = -scores[i].log_prob,
                     .pieces = std::ssize(scores[i].pieces)});
  }
  return lines;
}

}  // namespace dragoman
