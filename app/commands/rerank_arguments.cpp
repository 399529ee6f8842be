#include "commands/rerank_arguments.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/run/run_files.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/rerank_language_model.h"

#include <optional>
#include <utility>

namespace dragoman::app {

namespace {

/// The texts of a reverse model of several languages are translations, and its translations the
/// text: it is told the same two languages the other way round.
Languages reversed(const Languages& languages, const RunFiles& run) {
  const auto targets = target_languages(run.vocabulary);
  if (targets.size() > 1 && languages.source.empty())
    throw OptionsError(concat("--rerank-reverse: ", run.checkpoint.string(), " translates into ",
                              targets.size(),
                              " languages, and that of the text is not named; "
                              "name it by --from, or give a model of one pair"));
  return {.source = source_languages(run.vocabulary).empty() ? "" : languages.target,
          .target = targets.empty() ? "" : languages.source};
}

/// \param translates the vocabulary of the model that translates, which --from and --to are for,
///     too
ReverseModel open_reverse(const std::vector<std::filesystem::path>& folders,
                          const Languages& languages, const Vocabulary& translates,
                          const std::string& device) {
  const auto runs = open_runs(folders);
  const auto& reverse = runs.front().vocabulary;
  const auto expect_reader = [](bool is_read, const char* option, const char* languages_of) {
    if (!is_read)
      throw OptionsError(concat(option, ": neither the model nor that of --rerank-reverse has ",
                                languages_of, " languages; leave it out"));
  };
  expect_reader(languages.source.empty() || !source_languages(translates).empty() ||
                    !target_languages(reverse).empty(),
                "--from", "source");
  expect_reader(languages.target.empty() || !target_languages(translates).empty() ||
                    !source_languages(reverse).empty(),
                "--to", "target");
  return {.models = inference_models(runs, {}, device),
          .vocabulary = with_languages(
              reverse, reversed(languages, runs.front()),
              {.source = "--rerank-reverse: --to", .target = "--rerank-reverse: --from"})};
}

}  // namespace

const char* RerankArguments::first_option() const {
  return reverse.empty() ? "--rerank-lm" : "--rerank-reverse";
}

void RerankArguments::expect_beam_search(const SearchArguments& search) const {
  if (!any()) return;
  for (const auto& [option, given] :
       {std::pair{"--sample", search.sample}, std::pair{"--mbr", !search.mbr.empty()}})
    if (given)
      throw OptionsError(concat(first_option(), ": reranks the hypotheses of beam search, which ",
                                option, " replaces; leave one of them out"));
}

void RerankArguments::expect_choice(const SearchOptions& search) const {
  if (any()) expect_hypotheses_to_rerank(search, first_option());
}

std::shared_ptr<const Reranker> RerankArguments::reranker(const Languages& languages,
                                                          const Vocabulary& translates,
                                                          const std::string& device,
                                                          std::int64_t workers) const {
  if (!any()) return {};
  std::optional<ReverseModel> reverse_model;
  if (!reverse.empty()) reverse_model = open_reverse(reverse, languages, translates, device);
  LanguageModelScores scores;
  if (!language_model.empty()) scores = language_model_scores(language_model);
  return std::make_shared<const Reranker>(std::move(reverse_model), std::move(scores), weights,
                                          PairScoringOptions{.workers = workers});
}

void add_rerank_arguments(CLI::App& command, RerankArguments& arguments) {
  auto* reverse =
      command
          .add_option("--rerank-reverse", arguments.reverse,
                      "Rerank all hypotheses of the beam with log P(text | translation) under this "
                      "run, a model of the reverse direction; several are an ensemble")
          ->allow_extra_args(false);
  command
      .add_option("--reverse-weight", arguments.weights.reverse,
                  "Weight of the reverse model's term; the search's own score has weight 1")
      ->needs(reverse)
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  auto* lm = command.add_option("--rerank-lm", arguments.language_model,
                                "Rerank with log P(translation) under this run of 'dragoman lm "
                                "train'; both may be given");
  command
      .add_option("--lm-weight", arguments.weights.language_model,
                  "Weight of the language model's term")
      ->needs(lm)
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
}

}  // namespace dragoman::app
