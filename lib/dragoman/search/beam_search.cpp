#include "dragoman/search/beam_search.h"

#include "dragoman/core/error.h"
#include "dragoman/search/beam.h"
#include "dragoman/search/logits_reader.h"
#include "dragoman/search/ngram.h"
#include "dragoman/search/prefix_start.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <tuple>

namespace dragoman {

namespace {

/// All hypotheses of a batch and the scorer rows they occupy.
class BatchSearch {
 public:
  BatchSearch(NextTokenScorer& scorer, const SearchBatch& batch, const SearchOptions& options)
      : scorer_(scorer),
        batch_(batch),
        options_(options),
        rules_(token_rules(batch.special, options)),
        active_(batch.max_lengths.size()),
        next_tokens_(batch.max_lengths.size(), batch.special.bos),
        best_(static_cast<std::size_t>(2 * options.beam_size)) {
    for (const auto max_length : batch.max_lengths)
      beams_.emplace_back(options, max_length, batch.special.eos);
    std::iota(active_.begin(), active_.end(), 0);
  }

  std::vector<std::vector<Hypothesis>> run() {
    take_prefixes();
    while (!active_.empty()) {
      scorer_.advance(next_tokens_);
      if (options_.coverage_penalty > 0.0) read_coverage();
      const auto asked = queries();
      const RankingRequest request{
          .rows = asked, .count = std::ssize(best_), .rules = rules_, .sampling = nullptr};
      StepReader reader(scorer_, request);
      for (std::size_t i = 0; i < active_.size(); ++i)
        beams_[active_[i]].advance(extensions(reader, i));
      drop_and_reorder();
    }
    std::vector<std::vector<Hypothesis>> results;
    results.reserve(beams_.size());
    for (const auto& beam : beams_)
      results.push_back(batch_.returned == Returned::all ? beam.found() : beam.result());
    return results;
  }

 private:
  /// Reads as many tokens of every prefix as the shortest one has, in one pass; the rest follow
  /// step by step.
  void take_prefixes() {
    const auto start = start_with_prefixes(scorer_, batch_, rules_);
    for (std::size_t i = 0; i < start.log_probs.size(); ++i) {
      for (std::size_t t = 0; t < start.log_probs[i].size(); ++t) {
        // The next step reads the coverage anew.
        const Extension next{.token = batch_.prefixes[i][t],
                             .log_prob = beams_[i].live().front().log_prob + start.log_probs[i][t]};
        beams_[i].advance({&next, 1});
      }
      next_tokens_[i] = start.next_token(batch_, i);
    }
  }

  void read_coverage() {
    coverage_ = scorer_.coverage();
    if (coverage_.size() != next_tokens_.size())
      throw ContractError(
          "beam_search: a coverage penalty is set, but the scorer does not track "
          "coverage");
  }

  /// The term added to the score of a hypothesis that ends with the token following this row.
  double coverage_of(std::int64_t row) const {
    return coverage_.empty() ? 0.0
                             : options_.coverage_penalty * coverage_[static_cast<std::size_t>(row)];
  }

  /// The best extensions of the i-th active sentence, best first, ties by parent and token.
  std::span<const Extension> extensions(StepReader& reader, std::size_t i) {
    const auto& live = beams_[active_[i]].live();
    extensions_.clear();
    for (std::int64_t b = 0; b < std::ssize(live); ++b) {
      const auto& hypothesis = live[static_cast<std::size_t>(b)];
      const auto row = static_cast<std::int64_t>(i) * width_ + b;
      for (const auto& next : next_tokens(reader, i, row, std::ssize(hypothesis.ids)))
        extensions_.push_back({b, next.index, hypothesis.log_prob + next.value, coverage_of(row)});
    }
    const auto kept = std::min(extensions_.size(), best_.size());
    const auto better = [](const Extension& a, const Extension& b) {
      return std::tuple(-a.log_prob, a.parent, a.token) <
             std::tuple(-b.log_prob, b.parent, b.token);
    };
    std::partial_sort(extensions_.begin(), extensions_.begin() + static_cast<std::ptrdiff_t>(kept),
                      extensions_.end(), better);
    return {extensions_.data(), kept};
  }

  /// What `next_tokens` asks of each row.
  std::vector<TokenQuery> queries() const {
    std::vector<TokenQuery> queries(next_tokens_.size());
    for (std::size_t i = 0; i < active_.size(); ++i) {
      auto* query = &queries[i * static_cast<std::size_t>(width_)];
      for (const auto& hypothesis : beams_[active_[i]].live()) {
        query->given = forced_token(batch_.prefixes, active_[i], hypothesis.ids.size());
        if (!query->given)
          query->banned = repeating_tokens(hypothesis.ids, options_.no_repeat_ngram);
        ++query;
      }
    }
    return queries;
  }

  /// The allowed next tokens of a hypothesis of the i-th active sentence, best first.
  std::span<const Candidate> next_tokens(StepReader& reader, std::size_t i, std::int64_t row,
                                         std::int64_t length) {
    if (const auto fixed = fixed_token(reader, row, batch_, options_, active_[i], length)) {
      best_.front() = *fixed;
      return {best_.data(), 1};
    }
    return {best_.data(), reader.best_tokens(row, best_)};
  }

  /// Finished sentences leave; the rows of the others follow their hypotheses. A sentence with
  /// fewer live hypotheses than the widest repeats its first one, so that all have the same width.
  void drop_and_reorder() {
    std::vector<std::int64_t> kept, rows;
    std::size_t width = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const auto& beam = beams_[active_[i]];
      if (beam.done()) continue;
      kept.push_back(static_cast<std::int64_t>(i));
      width = std::max(width, beam.live().size());
    }
    next_tokens_.clear();
    for (const auto i : kept) {
      const auto& live = beams_[active_[static_cast<std::size_t>(i)]].live();
      for (std::size_t b = 0; b < width; ++b) {
        const auto& hypothesis = live[b < live.size() ? b : 0];
        rows.push_back(i * width_ + hypothesis.parent);
        next_tokens_.push_back(hypothesis.ids.back());
      }
    }
    if (!kept.empty()) {
      if (kept.size() < active_.size()) scorer_.select_sentences(kept);
      scorer_.select_rows(rows);
    }
    for (std::size_t i = 0; i < kept.size(); ++i)
      active_[i] = active_[static_cast<std::size_t>(kept[i])];
    active_.resize(kept.size());
    width_ = static_cast<std::int64_t>(width);
  }

  NextTokenScorer& scorer_;
  const SearchBatch& batch_;
  const SearchOptions& options_;
  TokenRules rules_;
  std::vector<Beam> beams_;                // of all sentences
  std::vector<std::size_t> active_;        // sentences still in the batch
  std::int64_t width_ = 1;                 // rows per active sentence
  std::vector<std::int64_t> next_tokens_;  // one per row
  std::vector<double> coverage_;           // one per row; empty = not tracked
  std::vector<Candidate> best_;            // scratch buffer
  std::vector<Extension> extensions_;      // scratch buffer
};

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(NextTokenScorer& scorer, const SearchBatch& batch,
                                                 const SearchOptions& options) {
  return BatchSearch(scorer, batch, options).run();
}

}  // namespace dragoman
