#include "dragoman/translate/translation_job.h"

#include "dragoman/core/error.h"
#include "dragoman/data/batch.h"
#include "dragoman/data/buckets.h"
#include "dragoman/search/cancellable_scorer.h"
#include "dragoman/search/ensemble.h"
#include "dragoman/search/ngram.h"
#include "dragoman/search/search.h"
#include "dragoman/tensor/random_stream.h"
#include "dragoman/translate/alignment.h"
#include "dragoman/translate/workers.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <utility>

namespace dragoman {

namespace {

/// The largest number of tokens that all of the models can generate, EOS included.
std::int64_t longest_target(std::span<const Transformer> models) {
  auto longest = std::numeric_limits<std::int64_t>::max();
  for (const auto& model : models)
    if (model->options().position == Position::learned)
      longest = std::min(longest, model->options().max_positions);
  return longest;
}

/// Keeps the first of equal texts.
void erase_repeated(std::vector<Alternative>& alternatives) {
  std::set<std::string> seen;
  std::erase_if(alternatives,
                [&seen](const Alternative& one) { return !seen.insert(one.text).second; });
}

/// Without the EOS of a finished one.
std::span<const std::int32_t> written_ids(const Hypothesis& hypothesis) {
  return std::span(hypothesis.ids).first(hypothesis.ids.size() - (hypothesis.finished ? 1 : 0));
}

}  // namespace

TranslationJob::TranslationJob(std::span<const Transformer> models, const Vocabulary& vocabulary,
                               const SearchOptions& search, const LineTranslatorOptions& options,
                               const LinesContext& context)
    : models_(models),
      vocabulary_(vocabulary),
      source_special_(vocabulary.source.special()),
      target_special_(vocabulary.target.special()),
      search_(search),
      options_(options),
      context_(context),
      longest_target_(longest_target(models)) {}

std::vector<Translation> TranslationJob::run(std::span<const std::string> lines) {
  encode(lines);
  search_all();
  std::vector<Translation> translations(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) translations[i] = assemble(i);
  return translations;
}

void TranslationJob::encode(std::span<const std::string> lines) {
  lines_.resize(lines.size());
  prefixes_.resize(context_.prefixes.size());
  constexpr std::int64_t chunk = 64;
  run_on_workers(options_.workers, (std::ssize(lines) + chunk - 1) / chunk, [&](std::int64_t c) {
    expect_no_stop(context_.stop);
    const auto end = std::min((c + 1) * chunk, std::ssize(lines));
    for (auto i = static_cast<std::size_t>(c * chunk); i < static_cast<std::size_t>(end); ++i) {
      lines_[i] = encode_source(lines[i], vocabulary_.source, options_.max_source_length);
      if (!prefixes_.empty()) prefixes_[i] = encode_prefix(i);
    }
  });
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    first_part_.push_back(sources_.size());
    for (std::size_t k = 0; k < lines_[i].parts.size(); ++k) add_part(i, k);
  }
}

TranslationJob::Prefix TranslationJob::encode_prefix(std::size_t line) const {
  const auto& text = context_.prefixes[line];
  Prefix prefix{vocabulary_.target.encode(text), {}};
  if (std::ssize(prefix.ids) >= longest_target_)
    throw DataError(concat("target prefix: line ", number_of(line) + 1, ": has ", prefix.ids.size(),
                           " pieces, but the model can generate at most ", longest_target_,
                           ", EOS included; shorten it"));
  if (std::ranges::find(prefix.ids, target_special_.unk) != prefix.ids.end())
    prefix.unknown = first_unknown(text, vocabulary_.target);
  return prefix;
}

std::int64_t TranslationJob::number_of(std::size_t line) const {
  return context_.first_line + static_cast<std::int64_t>(line);
}

void TranslationJob::add_part(std::size_t line, std::size_t part) {
  const auto of_line =
      mix(static_cast<std::uint64_t>(options_.seed), static_cast<std::uint64_t>(number_of(line)));
  SourcePart source{std::move(lines_[line].parts[part]), {}, mix(of_line, part)};
  source.ids.push_back(static_cast<std::int32_t>(source_special_.eos));
  if (part == 0 && !prefixes_.empty()) source.prefix = std::move(prefixes_[line].ids);
  sources_.push_back(std::move(source));
}

void TranslationJob::search_all() {
  std::vector<std::int64_t> lengths;
  for (const auto& source : sources_) lengths.push_back(std::ssize(source.ids));
  const auto all = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  // Few sentences are divided among the workers, too; many samples take no more rows than a beam.
  const auto samples = search_.sample ? search_.n_best : 1;
  const auto places = search_.batch_tokens * 4 / std::max<std::int64_t>(4, samples);
  const auto cells = std::min(places, all / options_.workers + 1);
  const auto batches = length_batches(lengths, cells);
  parts_.resize(sources_.size());
  run_on_workers(
      options_.workers, std::ssize(batches),
      [&](std::int64_t i) {
        const auto& batch = batches[static_cast<std::size_t>(i)];
        search_batch(batch);
        tell_progress(batch.size());
      },
      options_.threads);
}

void TranslationJob::search_batch(const BatchIndices& batch) {
  expect_no_stop(context_.stop);
  std::vector<Ids> sources, prefixes;
  std::vector<std::int64_t> max_lengths;
  std::vector<std::uint64_t> streams;
  for (const auto i : batch) {
    sources.push_back(sources_[i].ids);
    prefixes.push_back(sources_[i].prefix);
    max_lengths.push_back(max_target_length(sources_[i]));
    streams.push_back(sources_[i].stream);
  }
  const auto padded = pad_rows(sources, source_special_.pad);
  CancellableScorer scorer(
      make_scorer(models_, {padded.ids, padded.mask},
                  {.cache = search_.cache, .coverage = search_.coverage_penalty > 0.0}),
      context_.stop);
  const auto returned = has_distinct_texts() ? Returned::all : Returned::n_best;
  auto found = run_search(scorer,
                          {.max_lengths = max_lengths,
                           .prefixes = prefixes,
                           .streams = streams,
                           .special = target_special_,
                           .returned = returned},
                          search_);
  for (std::size_t k = 0; k < batch.size(); ++k) {
    keep_distinct(found[k]);
    parts_[batch[k]].n_best = std::move(found[k]);
  }
  for (std::int64_t rank = 0; options_.alignment && rank < search_.n_best; ++rank)
    align_batch(batch, static_cast<std::size_t>(rank));
}

/// The length limit leaves room for at least one token after the prefix.
std::int64_t TranslationJob::max_target_length(const SourcePart& source) const {
  const auto wanted = search_.max_length > 0 ? search_.max_length
                                             : std::ssize(source.ids) + search_.max_length_offset;
  return std::min(std::max(wanted, std::ssize(source.prefix) + 1), longest_target_);
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

/// Aligns the hypotheses of one rank, for those parts that have that many.
void TranslationJob::align_batch(const BatchIndices& batch, std::size_t rank) {
  expect_no_stop(context_.stop);
  BatchIndices aligned;
  std::vector<Ids> sources, targets;
  for (const auto i : batch) {
    if (rank >= parts_[i].n_best.size()) continue;
    aligned.push_back(i);
    sources.push_back(sources_[i].ids);
    targets.push_back(parts_[i].n_best[rank].ids);
  }
  if (aligned.empty()) return;
  auto links = align(models_, sources, targets, source_special_, target_special_);
  for (std::size_t k = 0; k < aligned.size(); ++k)
    parts_[aligned[k]].alignments.push_back(std::move(links[k]));
}

void TranslationJob::tell_progress(std::size_t parts) {
  if (!context_.progress) return;
  const std::lock_guard lock(progress_mutex_);
  parts_done_ += static_cast<std::int64_t>(parts);
  context_.progress(parts_done_, std::ssize(sources_));
}

/// One line from its parts.
Translation TranslationJob::assemble(std::size_t line) const {
  const auto& source = lines_[line];
  Translation translation;
  translation.split = source.split;
  translation.cut = source.cut;
  translation.unknown = source.unknown;
  if (!prefixes_.empty() && !source.parts.empty())
    translation.unknown_in_prefix = prefixes_[line].unknown;
  std::size_t count = 1;
  for (std::size_t k = 0; k < source.parts.size(); ++k)
    count = std::max(count, parts_[first_part_[line] + k].n_best.size());
  translation.n_best.resize(count);
  for (std::size_t k = 0; k < source.parts.size(); ++k)
    append_part(translation, first_part_[line] + k);
  if (source.parts.size() > 1 && has_distinct_texts()) erase_repeated(translation.n_best);
  return translation;
}

void TranslationJob::append_part(Translation& translation, std::size_t index) const {
  const auto& part = parts_[index];
  if (part.n_best.empty()) return;
  const auto source_offset = std::ssize(translation.source_pieces);
  for (std::size_t rank = 0; rank < translation.n_best.size(); ++rank) {
    auto& alternative = translation.n_best[rank];
    const auto of_part = std::min(rank, part.n_best.size() - 1);
    const auto target_offset = std::ssize(alternative.pieces);
    append(alternative, part.n_best[of_part]);
    if (part.alignments.empty()) continue;
    for (const auto& [i, j] : part.alignments[of_part])
      alternative.alignment.push_back({source_offset + i, target_offset + j});
  }
  for (const auto id : std::span(sources_[index].ids).first(sources_[index].ids.size() - 1))
    translation.source_pieces.push_back(vocabulary_.source.piece(id));
  translation.truncated |= !part.n_best.front().finished;
  translation.looping |= has_loop(part.n_best.front().ids);
}

std::string TranslationJob::text_of(const Hypothesis& hypothesis) const {
  return vocabulary_.target.decode(written_ids(hypothesis));
}

void TranslationJob::append(Alternative& alternative, const Hypothesis& hypothesis) const {
  const auto text = text_of(hypothesis);
  if (!alternative.text.empty() && !text.empty()) alternative.text += ' ';
  alternative.text += text;
  for (const auto id : written_ids(hypothesis))
    alternative.pieces.push_back(vocabulary_.target.piece(id));
  alternative.log_prob += hypothesis.log_prob;
  alternative.score += hypothesis.score;
}

}  // namespace dragoman
