#include "commands/run_system.h"

#include "commands/language_options.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/scorer.h"
#include "dragoman/translate/translation_log.h"
#include "dragoman/translate/translation_progress.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>

namespace dragoman::app {

RunSystem run_system(std::vector<RunFiles> runs, const Languages& languages,
                     const std::string& device) {
  choose_languages(runs, languages);
  auto models = inference_models(runs, runs.front().options.search, device);
  return {.runs = std::move(runs), .models = std::move(models)};
}

std::vector<Translation> translated(const RunSystem& system, std::span<const std::string> lines,
                                    const std::string& place, const std::string& shortlist) {
  const auto& options = system.runs.front().options;
  const auto& vocabulary = system.runs.front().vocabulary;
  LineTranslatorOptions how{.workers = system.workers,
                            .max_source_length = options.data.max_length,
                            .seed = options.seed,
                            .batch_tokens_given = system.batch_tokens_given};
  if (!shortlist.empty())
    how.shortlist = std::make_shared<const Shortlist>(load_shortlist(shortlist, vocabulary));
  const LineTranslator translator(system.models, vocabulary, options.search, how);
  TranslationProgress progress(place, std::ssize(lines));
  TranslationLog log(place, TranslationLog::Detail::counts, translator.longest_translation());
  TargetReminder reminder(vocabulary.source, system.runs.front().options.data, place);
  for (std::size_t i = 0; i < lines.size(); ++i)
    reminder.tell(static_cast<std::int64_t>(i) + 1, lines[i]);
  const auto tell = progress.of_lines(std::ssize(lines));
  auto translations =
      translator.translate(lines, {.prefixes = {}, .first_line = 0, .progress = tell});
  if (tell && !lines.empty()) tell(1, 1);  // blank lines, too
  std::int64_t number = 0;
  for (const auto& translation : translations)
    log.tell({.text = {}, .number = ++number}, translation);
  log.finish();
  return translations;
}

std::optional<Likelihood> likelihood_of(const RunSystem& system, std::span<const LinePair> pairs) {
  PairScorer scorer(system.models, system.runs.front().vocabulary, {.workers = system.workers});
  Likelihood likelihood;
  std::int64_t unscored = 0, scored = 0;
  std::string fault;
  for (const auto& score : scorer.score(pairs)) {
    if (score.fault.empty()) {
      likelihood.add(score);
      ++scored;
    } else if (unscored++ == 0) {
      fault = score.fault;
    }
  }
  if (unscored > 0)
    log_warning(concat("the likelihood leaves out ", counted(unscored, "pair"), ": ", fault));
  return scored > 0 ? std::optional(likelihood) : std::nullopt;
}

}  // namespace dragoman::app
