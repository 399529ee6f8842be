#include "dragoman/search/greedy_search.h"

#include "dragoman/search/logits_reader.h"

#include <numeric>

namespace dragoman {

namespace {

/// Appends the likeliest token; whether the sentence goes on.
bool extend(Hypothesis& hypothesis, StepReader& reader, std::int64_t row,
            std::int64_t max_length, const SearchTokens& tokens) {
  Candidate best;
  if (reader.best_tokens(row, {}, {&best, 1}) == 0) return false;
  hypothesis.ids.push_back(static_cast<std::int32_t>(best.index));
  hypothesis.score = hypothesis.log_prob += best.value;
  hypothesis.finished = best.index == tokens.eos;
  return !hypothesis.finished && std::ssize(hypothesis.ids) < max_length;
}

}  // namespace

std::vector<Hypothesis> greedy_search(NextTokenScorer& scorer,
                                      std::span<const std::int64_t> max_lengths,
                                      const SearchTokens& tokens) {
  std::vector<Hypothesis> results(max_lengths.size());
  std::vector<std::size_t> active(max_lengths.size());
  std::iota(active.begin(), active.end(), 0);
  std::vector<std::int64_t> next_tokens(active.size(), tokens.bos), kept;
  while (!active.empty()) {
    scorer.advance(next_tokens);
    StepReader reader(scorer, std::ssize(next_tokens), tokens);
    kept.clear();
    next_tokens.clear();
    for (std::size_t i = 0; i < active.size(); ++i) {
      auto& hypothesis = results[active[i]];
      const auto row = static_cast<std::int64_t>(i);
      if (!extend(hypothesis, reader, row, max_lengths[active[i]], tokens)) continue;
      kept.push_back(row);
      next_tokens.push_back(hypothesis.ids.back());
    }
    if (!kept.empty() && kept.size() < active.size()) {
      scorer.select_sentences(kept);
      scorer.select_rows(kept);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) active[i] = active[static_cast<std::size_t>(kept[i])];
    active.resize(kept.size());
  }
  return results;
}

}  // namespace dragoman
