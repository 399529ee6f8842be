#include "dragoman/translate/translator.h"

#include "dragoman/core/error.h"
#include "dragoman/model/pack_weights.h"
#include "dragoman/search/beam_search.h"
#include "dragoman/search/greedy_search.h"
#include "dragoman/search/model_scorers.h"
#include "dragoman/search/ngram.h"
#include "dragoman/tensor/device.h"
#include "dragoman/translate/alignment.h"
#include "dragoman/translate/length_batches.h"
#include "dragoman/translate/padding.h"
#include "dragoman/translate/source_line.h"
#include "dragoman/translate/workers.h"

#include <algorithm>
#include <numeric>

namespace dragoman {

namespace {

using Ids = std::vector<std::int32_t>;

/// What the search has found for one part of a line.
struct TranslatedPart {
  std::vector<Hypothesis> n_best;
  std::vector<AlignmentLink> alignment;
};

/// One call of `Translator::translate`.
class TranslationJob {
 public:
  TranslationJob(const Transformer& model, const Vocabulary& vocabulary,
                 const SearchOptions& search, const TranslatorOptions& options)
      : model_(model),
        vocabulary_(vocabulary),
        source_special_(vocabulary.source.special()),
        target_special_(vocabulary.target.special()),
        search_(search),
        options_(options) {}

  std::vector<Translation> run(std::span<const std::string> lines) {
    encode(lines);
    search_all();
    std::vector<Translation> translations(lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) translations[i] = assemble(i);
    return translations;
  }

 private:
  void encode(std::span<const std::string> lines) {
    lines_.resize(lines.size());
    constexpr std::int64_t chunk = 64;
    run_on_workers(options_.workers, (std::ssize(lines) + chunk - 1) / chunk, [&](std::int64_t c) {
      const auto end = std::min((c + 1) * chunk, std::ssize(lines));
      for (auto i = static_cast<std::size_t>(c * chunk); i < static_cast<std::size_t>(end); ++i)
        lines_[i] = encode_source(lines[i], vocabulary_.source, options_.max_source_length);
    });
    for (auto& line : lines_) {
      first_part_.push_back(sources_.size());
      for (auto& part : line.parts) {
        sources_.push_back(std::move(part));
        sources_.back().push_back(static_cast<std::int32_t>(source_special_.eos));
      }
    }
  }

  void search_all() {
    std::vector<std::int64_t> lengths;
    for (const auto& source : sources_) lengths.push_back(std::ssize(source));
    const auto all = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    // Few sentences are shared out all the same.
    const auto cells = std::min(search_.batch_tokens, all / options_.workers + 1);
    const auto batches = length_batches(lengths, cells);
    parts_.resize(sources_.size());
    run_on_workers(options_.workers, std::ssize(batches), [&](std::int64_t i) {
      search_batch(batches[static_cast<std::size_t>(i)]);
    });
  }

  void search_batch(const std::vector<std::size_t>& batch) {
    std::vector<Ids> sources;
    std::vector<std::int64_t> max_lengths;
    for (const auto i : batch) {
      sources.push_back(sources_[i]);
      max_lengths.push_back(max_target_length(std::ssize(sources_[i])));
    }
    const auto padded = pad_rows(sources, source_special_.pad);
    const auto scorer = make_scorer(model_, {padded.ids, padded.mask}, search_.cache);
    auto found = find(*scorer, max_lengths);
    for (std::size_t k = 0; k < batch.size(); ++k)
      parts_[batch[k]].n_best = std::move(found[k]);
    if (options_.alignment) align_batch(batch, sources);
  }

  std::vector<std::vector<Hypothesis>> find(NextTokenScorer& scorer,
                                            std::span<const std::int64_t> max_lengths) const {
    const SearchTokens tokens{target_special_.bos, target_special_.eos, target_special_.pad};
    if (!search_.greedy) return beam_search(scorer, max_lengths, search_, tokens);
    std::vector<std::vector<Hypothesis>> found;
    for (auto& hypothesis : greedy_search(scorer, max_lengths, tokens))
      found.push_back({std::move(hypothesis)});
    return found;
  }

  std::int64_t max_target_length(std::int64_t source_length) const {
    const auto wanted = search_.max_length > 0 ? search_.max_length
                                               : source_length + search_.max_length_offset;
    const bool limited = model_->options().position == Position::learned;
    return limited ? std::min(wanted, model_->options().max_positions) : wanted;
  }

  void align_batch(const std::vector<std::size_t>& batch, const std::vector<Ids>& sources) {
    std::vector<Ids> targets;
    for (const auto i : batch)
      targets.push_back(parts_[i].n_best.empty() ? Ids{} : parts_[i].n_best.front().ids);
    auto links = align(model_, sources, targets, source_special_, target_special_);
    for (std::size_t k = 0; k < batch.size(); ++k)
      parts_[batch[k]].alignment = std::move(links[k]);
  }

  /// One line from its parts.
  Translation assemble(std::size_t line) const {
    const auto& source = lines_[line];
    Translation translation;
    translation.split = source.split;
    translation.cut = source.cut;
    std::size_t count = 1;
    for (std::size_t k = 0; k < source.parts.size(); ++k)
      count = std::max(count, parts_[first_part_[line] + k].n_best.size());
    translation.n_best.resize(count);
    for (std::size_t k = 0; k < source.parts.size(); ++k)
      append_part(translation, first_part_[line] + k);
    return translation;
  }

  void append_part(Translation& translation, std::size_t index) const {
    const auto& part = parts_[index];
    if (part.n_best.empty()) return;
    const auto source_offset = std::ssize(translation.source_pieces);
    const auto target_offset = std::ssize(translation.n_best.front().pieces);
    for (std::size_t rank = 0; rank < translation.n_best.size(); ++rank)
      append(translation.n_best[rank], part.n_best[std::min(rank, part.n_best.size() - 1)]);
    for (const auto id : std::span(sources_[index]).first(sources_[index].size() - 1))
      translation.source_pieces.push_back(vocabulary_.source.piece(id));
    for (const auto& [i, j] : part.alignment)
      translation.alignment.push_back({source_offset + i, target_offset + j});
    translation.truncated |= !part.n_best.front().finished;
    translation.looping |= has_loop(part.n_best.front().ids);
  }

  void append(Alternative& alternative, const Hypothesis& hypothesis) const {
    const auto ids = std::span(hypothesis.ids).first(hypothesis.ids.size() -
                                                     (hypothesis.finished ? 1 : 0));
    const auto text = vocabulary_.target.decode(ids);
    if (!alternative.text.empty() && !text.empty()) alternative.text += ' ';
    alternative.text += text;
    for (const auto id : ids) alternative.pieces.push_back(vocabulary_.target.piece(id));
    alternative.log_prob += hypothesis.log_prob;
    alternative.score += hypothesis.score;
  }

  const Transformer& model_;
  const Vocabulary& vocabulary_;
  const SpecialIds source_special_, target_special_;
  const SearchOptions& search_;
  const TranslatorOptions& options_;
  std::vector<SourceLine> lines_;        // their parts moved to sources_
  std::vector<std::size_t> first_part_;  // of each line, in sources_ and parts_
  std::vector<Ids> sources_;             // parts of all lines, EOS included
  std::vector<TranslatedPart> parts_;
};

}  // namespace

Translator::Translator(Transformer model, Vocabulary vocabulary, const SearchOptions& search,
                       const TranslatorOptions& options)
    : model_(std::move(model)),
      vocabulary_(std::move(vocabulary)),
      search_(search),
      options_(options) {
  search_.validate();
  if (options_.workers < 0)
    throw OptionsError(concat("workers ", options_.workers, ": must not be negative; 0 = all cores"));
  if (options_.max_source_length < 1)
    throw OptionsError(concat("max_source_length ", options_.max_source_length,
                              ": must be at least 1 piece"));
  options_.workers = worker_count(model_->parameters().front().device(), options_.workers);
  if (model_->options().position == Position::learned)
    options_.max_source_length =
        std::min(options_.max_source_length, model_->options().max_positions - 1);
  model_->eval();
  if (options_.pack) pack_weights(*model_, search_.precision);
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines) const {
  return TranslationJob(model_, vocabulary_, search_, options_).run(lines);
}

}  // namespace dragoman
