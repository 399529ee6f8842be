#include "dragoman/translate/line_translator.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/thread.h"
#include "dragoman/translate/translation_choice.h"
#include "dragoman/translate/translation_encoding.h"
#include "dragoman/translate/translation_joining.h"
#include "dragoman/translate/translation_search.h"
#include "dragoman/translate/translation_task.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dragoman {

struct LineTranslator::Parts {
  InferenceModels models;
  Vocabulary vocabulary;
  SearchOptions search;
  LineTranslatorOptions options;
  std::shared_ptr<EnsembleWorkers> workers;
};

namespace {

/// \throws OptionsError if an option is out of range, or if no language is chosen
LineTranslatorOptions checked(const InferenceModels& models, const Vocabulary& vocabulary,
                              LineTranslatorOptions options) {
  for (const auto* side : {&vocabulary.source, &vocabulary.target}) side->expect_language();
  expect_thread_count("workers", options.workers);
  expect_thread_count("threads", options.threads);
  if (options.threads < 1)
    throw OptionsError(concat("threads ", options.threads, ": must be at least 1"));
  if (options.max_source_length < 1)
    throw OptionsError(
        concat("max_source_length ", options.max_source_length, ": must be at least 1 piece"));
  for (const auto& model : models)
    if (options.shortlist && !model->takes_shortlist())
      throw OptionsError(concat("shortlist: this model runs in LibTorch's modules (",
                                model->description(), "), which compute all logits; leave out the ",
                                "shortlist, or what needs the modules, such as ",
                                "search.cache=false (--no-cache)"));
  options.workers = worker_count(models, options.workers, options.threads);
  expect_thread_count("--workers times --threads", options.workers * options.threads);
  for (const auto& model : models)
    options.max_source_length =
        std::min(options.max_source_length, model->options().longest_source() - 1);
  if (const auto languages = std::ssize(vocabulary.source.prefix());
      options.max_source_length <= languages)
    throw OptionsError(concat("data.max_length ", options.max_source_length,
                              ": leaves no room for text beside ", counted(languages, "language"),
                              "; raise it"));
  return options;
}

/// The search with batches for the device of the models.
SearchOptions with_batches(const InferenceModels& models, SearchOptions search,
                           const LineTranslatorOptions& options) {
  const bool by_default = search.batch_tokens == SearchOptions().batch_tokens;
  if (!models.front()->is_on_cpu() && by_default && !options.batch_tokens_given)
    search.batch_tokens = gpu_batch_tokens;
  return search;
}

}  // namespace

void expect_hypotheses_to_rerank(const SearchOptions& search, const std::string& what) {
  const auto refuse = [&what](const char* fact, const char* remedy) {
    throw OptionsError(
        concat(what, ": chooses among a beam's hypotheses, but ", fact, "; ", remedy));
  };
  if (search.sample) refuse("search.sample is true", "set it to false");
  if (search.greedy) refuse("search.greedy is true", "set it to false");
  if (search.beam_size < 2) refuse("search.beam_size is 1", "raise it");
}

/// \param other whose threads are used if they would be the same; may be null
std::shared_ptr<const LineTranslator::Parts> LineTranslator::parts_of(
    InferenceModels models, Vocabulary vocabulary, const SearchOptions& search,
    const LineTranslatorOptions& options, const Parts* other) {
  search.validate();
  if (options.consensus && !search.sample)
    throw OptionsError("consensus: chooses among samples; set search.sample to true");
  if (options.consensus && search.n_best < 2)
    throw OptionsError(
        "consensus: chooses among samples, and search.n_best is 1; set it to their number");
  if (options.reranker) expect_hypotheses_to_rerank(search, "reranking");
  const auto used = checked(models, vocabulary, options);
  const auto sized = with_batches(models, search, options);
  const bool shares = other != nullptr && used.workers == other->options.workers &&
                      used.threads == other->options.threads &&
                      used.shortlist == other->options.shortlist;
  auto workers = shares ? other->workers
                        : std::make_shared<EnsembleWorkers>(
                              models,
                              InferenceOptions{.threads = used.threads,
                                               .source = vocabulary.source.special(),
                                               .target = vocabulary.target.special(),
                                               .shortlist = used.shortlist},
                              used.workers);
  return std::make_shared<const Parts>(
      Parts{std::move(models), std::move(vocabulary), sized, used, std::move(workers)});
}

LineTranslator::LineTranslator(InferenceModels models, Vocabulary vocabulary,
                               const SearchOptions& search, const LineTranslatorOptions& options)
    : parts_(parts_of(std::move(models), std::move(vocabulary), search, options, nullptr)) {}

LineTranslator::LineTranslator(const LineTranslator& other, Vocabulary vocabulary,
                               const SearchOptions& search, const LineTranslatorOptions& options)
    : parts_(parts_of(other.parts_->models, std::move(vocabulary), search, options,
                      other.parts_.get())) {}

std::string LineTranslator::description() const {
  const auto& options = parts_->options;
  return concat(counted(options.workers, "worker"), " of ", counted(options.threads, "thread"),
                ", batches of ", parts_->search.batch_tokens, " source pieces, ",
                parts_->models.front()->description(),
                options.shortlist ? ", logits of a shortlist" : "",
                options.reranker ? ", " + options.reranker->description() : std::string());
}

std::int64_t LineTranslator::max_source_length() const { return parts_->options.max_source_length; }

std::int64_t LineTranslator::longest_translation() const {
  auto longest = std::numeric_limits<std::int64_t>::max();
  for (const auto& model : parts_->models)
    longest = std::min(longest, model->options().longest_sequence());
  return longest;
}

std::vector<Translation> LineTranslator::translate(std::span<const std::string> lines,
                                                   const LinesContext& context) const {
  if (!context.prefixes.empty() && context.prefixes.size() != lines.size())
    throw ContractError(concat("LineTranslator::translate: ", context.prefixes.size(),
                               " prefixes for ", lines.size(), " lines"));
  const TranslationTask task{.models = parts_->models,
                             .vocabulary = parts_->vocabulary,
                             .search = parts_->search,
                             .options = parts_->options,
                             .workers = *parts_->workers,
                             .context = context};
  auto encoded = encode_lines(task, lines);
  std::vector<TranslationPart*> parts;
  for (auto& line : encoded)
    for (auto& part : line.parts) parts.push_back(&part);
  search_parts(task, parts);
  if (task.options.reranker) rerank_parts(task, parts);
  for (auto& line : encoded) join_parts(task, line);
  if (task.options.consensus) choose_samples(task, encoded);
  std::vector<Translation> translations;
  translations.reserve(encoded.size());
  for (auto& line : encoded) translations.push_back(std::move(line.translation));
  return translations;
}

}  // namespace dragoman
