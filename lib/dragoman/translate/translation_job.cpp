#include "dragoman/translate/translation_job.h"

#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"
#include "dragoman/search/cancellable_scorer.h"
#include "dragoman/search/search.h"
#include "dragoman/translate/alignment.h"
#include "dragoman/translate/search_batches.h"
#include "dragoman/translate/source_line.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace dragoman {

namespace {

/// The largest number of tokens that all of the models can generate, EOS included.
std::int64_t longest_target(const InferenceModels& models) {
  auto longest = std::numeric_limits<std::int64_t>::max();
  for (const auto& model : models) longest = std::min(longest, model->options().longest_sequence());
  return longest;
}

/// What the search of one sentence takes where memory needs a bound; 0 elsewhere.
double bytes_per_sentence(const InferenceModels& models, const SearchOptions& search) {
  double bytes = 0.0;
  for (const auto& model : models) bytes += model->bytes_per_hypothesis();
  return bytes * static_cast<double>(search.sample ? search.n_best : search.beam_size);
}

/// A reranker chooses among all that a beam holds.
SearchOptions with_candidates(SearchOptions search, const LineTranslatorOptions& options) {
  if (options.reranker) search.n_best = search.beam_size;
  return search;
}

}  // namespace

TranslationJob::TranslationJob(const TranslationJobParts& parts, const LinesContext& context)
    : vocabulary_(parts.vocabulary),
      source_special_(vocabulary_.source.special()),
      target_special_(vocabulary_.target.special()),
      search_(with_candidates(parts.search, parts.options)),
      n_best_(parts.search.n_best),
      options_(parts.options),
      workers_(parts.workers),
      context_(context),
      longest_target_(longest_target(parts.models)),
      bytes_per_sentence_(bytes_per_sentence(parts.models, search_)) {}

std::vector<Translation> TranslationJob::run(std::span<const std::string> lines) {
  encode(lines);
  search_all();
  if (options_.reranker) {
    rerank_all();
    align_reranked();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) assemble(i);
  if (options_.consensus) {
    choose_samples();
    align_chosen();
  }
  return std::move(translations_);
}

void TranslationJob::encode(std::span<const std::string> lines) {
  translations_.resize(lines.size());
  line_parts_.resize(lines.size());
  constexpr std::int64_t chunk = 64;
  const auto encode_chunk = [&](const EnsembleWorker&, std::int64_t c) {
    expect_no_stop(context_.stop);
    const auto end = std::min((c + 1) * chunk, std::ssize(lines));
    for (auto i = static_cast<std::size_t>(c * chunk); i < static_cast<std::size_t>(end); ++i) {
      encode_line(i, lines[i]);
      if (!context_.prefixes.empty()) add_prefix(i, context_.prefixes[i]);
    }
  };
  workers_.run((std::ssize(lines) + chunk - 1) / chunk, encode_chunk, context_.stop);
  for (auto& parts : line_parts_)
    for (auto& part : parts) parts_.push_back(&part);
}

/// Fills in the line's parts and what its translation says of the source.
void TranslationJob::encode_line(std::size_t line, std::string_view text) {
  auto source = encode_source(text, vocabulary_.source, options_.max_source_length, context_.stop);
  auto& translation = translations_[line];
  translation.split = source.split;
  translation.cut = source.cut;
  translation.unknown = source.unknown;
  const auto of_line =
      mix(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(number_of(line)));
  for (std::size_t i = 0; i < source.parts.size(); ++i) {
    vocabulary_.source.end_source(source.parts[i]);
    line_parts_[line].push_back({.source = std::move(source.parts[i]),
                                 .text = std::move(source.texts[i]),
                                 .cut = source.cuts[i],
                                 .prefix = vocabulary_.target.prefix(),
                                 .stream = mix(of_line, i)});
  }
}

/// The prefix of a line belongs to its first part.
void TranslationJob::add_prefix(std::size_t line, std::string_view text) {
  auto ids = vocabulary_.target.encode(text);
  if (line_parts_[line].empty()) {
    translations_[line].prefix_unused = !ids.empty();
    return;
  }
  const auto longest = max_target_length(line_parts_[line].front());
  if (std::ssize(ids) >= longest)
    throw DataError(concat("target prefix: line ", number_of(line) + 1, ": has ", ids.size(),
                           " pieces, but the translation may have at most ", longest,
                           ", EOS included; shorten it",
                           longest < longest_target_ ? " or raise search.max_length" : ""));
  if (std::ranges::find(ids, target_special_.unk) != ids.end())
    translations_[line].unknown_in_prefix = first_unknown(text, vocabulary_.target);
  line_parts_[line].front().prefix = std::move(ids);
  line_parts_[line].front().prefix_text = text;
}

std::int64_t TranslationJob::number_of(std::size_t line) const {
  return context_.first_line + static_cast<std::int64_t>(line);
}

void TranslationJob::search_all() {
  std::vector<SearchLengths> lengths;
  std::int64_t all = 0;
  for (const auto* part : parts_) {
    lengths.push_back({.source = std::ssize(part->source), .prefix = std::ssize(part->prefix)});
    all += lengths.back().source;
  }
  // Few sentences are divided among the workers, too; many samples take no more rows than a beam.
  const auto samples = search_.sample ? search_.n_best : 1;
  const auto positions = search_.batch_tokens * 4 / std::max<std::int64_t>(4, samples);
  const auto max_positions = std::min(positions, all / options_.workers + 1);
  const auto least = least_positions(bytes_per_sentence_, max_positions);
  for (auto& length : lengths) length.source = std::max(length.source, least);
  const auto batches = search_batches(lengths, max_positions);
  const auto search = [&](const EnsembleWorker& worker, std::int64_t i) {
    const auto& batch = batches[static_cast<std::size_t>(i)];
    search_batch(worker, batch);
    parts_done_ += std::ssize(batch);
  };
  InferenceWorkers::Tell tell;
  // A task may be counted by its thread before the call is told of it.
  if (context_.progress)
    tell = [this, told = std::int64_t{0}]() mutable {
      const std::int64_t done = parts_done_;
      if (done > std::exchange(told, done)) context_.progress(done, std::ssize(parts_));
    };
  workers_.run(std::ssize(batches), search, context_.stop, tell);
}

void TranslationJob::search_batch(const EnsembleWorker& worker, const BatchIndices& batch) {
  expect_no_stop(context_.stop);
  std::vector<std::span<const std::int32_t>> sources;
  std::vector<Ids> prefixes;
  std::vector<std::int64_t> max_lengths;
  std::vector<std::uint64_t> streams;
  for (const auto i : batch) {
    const auto& part = *parts_[i];
    sources.emplace_back(part.source);
    if (!context_.prefixes.empty() || !part.prefix.empty()) prefixes.push_back(part.prefix);
    max_lengths.push_back(max_target_length(part));
    streams.push_back(part.stream);
  }
  CancellableScorer scorer(start_scorer(worker, sources, search_, prefixes), context_.stop);
  const auto returned = has_distinct_texts() ? Returned::all : Returned::n_best;
  auto found = run_search(scorer,
                          {.max_lengths = max_lengths,
                           .prefixes = prefixes,
                           .free_tokens = std::ssize(vocabulary_.target.prefix()),
                           .streams = streams,
                           .special = target_special_,
                           .returned = returned},
                          search_);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    keep_distinct(found[k]);
    parts_[batch[k]]->n_best = std::move(found[k]);
  }
  align_batch(worker, batch);
  for (const auto i : batch) erase_equal_copies(*parts_[i]);
}

std::int64_t TranslationJob::max_target_length(const Part& part) const {
  const auto wanted = search_.max_length > 0 ? search_.max_length
                                             : std::ssize(part.source) + search_.max_length_offset;
  // A target language that the prefix names leaves room for a token at least.
  return std::min(std::max(wanted, std::ssize(vocabulary_.target.prefix()) + 1), longest_target_);
}

/// Samples are independent of each other: a repeated one says something about the model.
bool TranslationJob::has_distinct_texts() const { return search_.n_best > 1 && !search_.sample; }

/// Keeps the best of the hypotheses with the same text in different pieces; others that the search
/// has found, if there are any, take the places of the rest.
void TranslationJob::keep_distinct(std::vector<Hypothesis>& found) const {
  if (!has_distinct_texts()) return;
  std::set<std::string> seen;
  std::vector<Hypothesis> kept;
  for (auto& hypothesis : found) {
    if (std::ssize(kept) == search_.n_best) break;
    if (seen.insert(text_of(hypothesis)).second) kept.push_back(std::move(hypothesis));
  }
  found = std::move(kept);
}

bool TranslationJob::has_unknown(const Hypothesis& hypothesis) const {
  return std::ranges::find(hypothesis.ids, target_special_.unk) != hypothesis.ids.end();
}

/// Whether the text of the hypothesis depends on its alignment.
bool TranslationJob::copies_unknown(const Hypothesis& hypothesis) const {
  return search_.unknown == UnknownRule::copy && has_unknown(hypothesis);
}

/// Keeps the best of the hypotheses whose texts are equal once unknown pieces are copied.
void TranslationJob::erase_equal_copies(Part& part) const {
  if (search_.unknown != UnknownRule::copy || !has_distinct_texts()) return;
  std::set<std::string> seen;
  std::size_t kept = 0;
  for (std::size_t rank = 0; rank < part.n_best.size(); ++rank) {
    if (!seen.insert(text_of(part, rank)).second) continue;
    if (kept != rank) {
      part.n_best[kept] = std::move(part.n_best[rank]);
      part.alignments[kept] = std::move(part.alignments[rank]);
    }
    ++kept;
  }
  part.n_best.resize(kept);
  part.alignments.resize(kept);
}

}  // namespace dragoman
