#include "dragoman/translator_parts.h"

#include "dragoman/config/overrides.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/kernels/weight_choice.h"
#include "dragoman/run/attention_swap.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/text/language_tags.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// The runs with the options and languages that are chosen.
std::vector<RunFiles> chosen(std::vector<RunFiles> runs, const TranslatorOptions& options) {
  constexpr const char* place = "TranslatorOptions::set";
  expect_search_settings(options.set, place, /*also_model=*/true);
  const auto settings = read_overrides(options.set, {}, place).values;
  for (auto& run : runs) {
    run.options.search = without_other_search(run.options.search, settings);
    run.options = override_trained(run.options, options.set, AttentionSwap::equal, place);
    run.vocabulary = with_languages(
        run.vocabulary, {.source = options.source_language, .target = options.target_language},
        {.source = "TranslatorOptions::source_language",
         .target = "TranslatorOptions::target_language"});
  }
  return runs;
}

/// Whether runs that differ in their options alone have the same models in float32.
bool have_same_float32_models(std::span<const RunFiles> runs, std::span<const RunFiles> others) {
  const auto facts = [](const RunFiles& run) {
    return nlohmann::json{run.options.model, run.options.search.cache};
  };
  return std::ranges::equal(runs, others, {}, facts, facts);
}

/// The same, in the precision of the search.
bool have_same_models(std::span<const RunFiles> runs, std::span<const RunFiles> others) {
  const auto precision = [](const RunFiles& run) { return run.options.search.precision; };
  return have_same_float32_models(runs, others) &&
         std::ranges::equal(runs, others, {}, precision, precision);
}

std::optional<Utility> consensus_of(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (const auto utility = utility_named(name)) return utility;
  throw OptionsError(concat("TranslatorOptions::consensus: \"", printable(name, 80),
                            "\" is neither \"chrf\" nor \"bleu\"; write one of them"));
}

LineTranslatorOptions line_options(const RunFiles& run, const TranslatorOptions& options,
                                   std::shared_ptr<const Shortlist> shortlist) {
  return {.workers = options.workers,
          .max_source_length = run.options.data.max_length,
          .alignment = options.alignment,
          .seed = run.options.seed,
          .batch_tokens_given = set_option(options.set, "search.batch_tokens"),
          .consensus = consensus_of(options.consensus),
          .shortlist = std::move(shortlist)};
}

}  // namespace

Translator::Parts::Parts(std::vector<RunFiles> opened, const TranslatorOptions& given,
                         const Parts* loaded)
    : options(given),
      stored(std::move(opened)),
      runs(chosen(stored, given)),
      models(loaded != nullptr && have_same_models(runs, loaded->runs)
                 ? loaded->models
                 : inference_models(runs, runs.front().options.search, given.device, device_place)),
      shortlist(shortlist_of(loaded)),
      lines(line_translator(loaded)),
      scoring(scoring_of(loaded)) {}

std::shared_ptr<const Shortlist> Translator::Parts::shortlist_of(const Parts* loaded) const {
  if (options.shortlist.empty()) return nullptr;
  if (loaded != nullptr && loaded->options.shortlist == options.shortlist) return loaded->shortlist;
  return std::make_shared<const Shortlist>(
      load_shortlist(options.shortlist, runs.front().vocabulary));
}

LineTranslator Translator::Parts::line_translator(const Parts* loaded) const {
  const auto& run = runs.front();
  const auto how = line_options(run, options, shortlist);
  if (loaded != nullptr && models == loaded->models)
    return {loaded->lines, run.vocabulary, run.options.search, how};
  return {models, run.vocabulary, run.options.search, how};
}

std::shared_ptr<Translator::Parts::Scoring> Translator::Parts::scoring_of(
    const Parts* loaded) const {
  const auto precision = runs.front().options.search.precision;
  const bool is_float32 =
      precision == SearchPrecision::float32 ||
      (options.device == "cpu" && weight_type(precision) == WeightType::float32);
  const bool share = loaded != nullptr && have_same_float32_models(runs, loaded->runs) &&
                     (!is_float32 || models == loaded->models);
  if (share && options.workers == loaded->options.workers) return loaded->scoring;
  auto own = std::make_shared<Scoring>();
  own->weights = share ? loaded->scoring->weights : std::make_shared<Float32Models>();
  if (is_float32 && !share) own->weights->models = models;
  return own;
}

std::vector<PairScore> Translator::Parts::score(std::span<const LinePair> pairs,
                                                const std::stop_token& stop) const {
  std::call_once(scoring->made, [this] {
    auto& weights = *scoring->weights;
    std::call_once(weights.made, [&] {
      auto search = runs.front().options.search;
      search.precision = SearchPrecision::float32;
      if (weights.models.empty())
        weights.models = inference_models(runs, search, options.device, device_place);
    });
    scoring->scorer.emplace(weights.models, runs.front().vocabulary,
                            PairScoringOptions{.workers = options.workers});
  });
  return PairScorer(*scoring->scorer, runs.front().vocabulary).score_all(pairs, stop);
}

}  // namespace dragoman
