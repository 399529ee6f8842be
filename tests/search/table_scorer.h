#pragma once

#include "dragoman/decoding/model_scorers.h"

#include <ATen/ATen.h>

#include <cstdint>
#include <span>
#include <vector>

namespace test {

/// Ids of the tables' BOS and EOS.
inline constexpr std::int64_t table_bos = 2, table_eos = 3;

/// Random log-probabilities for a TableScorer, [vocab_size, vocab_size, vocab_size] float64; PAD,
/// UNK and BOS are never next.
inline at::Tensor random_table(std::int64_t vocab_size, std::int64_t seed) {
  at::manual_seed(static_cast<std::uint64_t>(seed));
  auto table = at::randn({vocab_size, vocab_size, vocab_size}, at::kDouble);
  table.narrow(2, 0, 3).fill_(-1e9);
  return table.log_softmax(-1);
}

/// Log-probabilities that depend on the last two tokens: a model small enough to search by hand.
class TableScorer : public dragoman::NextTokenScorer {
 public:
  /// \param log_probs [vocab_size, vocab_size, vocab_size]: by last but one, by last, by next token
  TableScorer(at::Tensor log_probs, std::int64_t sentences, std::int64_t bos)
      : log_probs_(std::move(log_probs)),
        last_but_one_(static_cast<std::size_t>(sentences), bos),
        last_(last_but_one_) {}

  void advance(std::span<const std::int64_t> tokens) override {
    last_but_one_ = last_;
    last_.assign(tokens.begin(), tokens.end());
    ++steps;
    rows += std::ssize(tokens);
  }

  dragoman::Logits logits(std::int64_t first, std::int64_t count) override {
    logits_ =
        log_probs_.index({at::tensor(last_but_one_), at::tensor(last_)}).narrow(0, first, count);
    return dragoman::readable_logits(logits_);
  }

  std::int64_t rows_at_once() const override { return 3; }  // makes blocks end inside a sentence

  void select_rows(std::span<const std::int64_t> rows_kept) override {
    std::vector<std::int64_t> before = last_but_one_, last = last_;
    last_but_one_.clear();
    last_.clear();
    for (const auto row : rows_kept) {
      last_but_one_.push_back(before.at(static_cast<std::size_t>(row)));
      last_.push_back(last.at(static_cast<std::size_t>(row)));
    }
  }

  void select_sentences(std::span<const std::int64_t> kept) override {
    dropped_to = std::ssize(kept);
  }

  std::int64_t steps = 0;        ///< calls of `advance`
  std::int64_t rows = 0;         ///< rows requested in total
  std::int64_t dropped_to = -1;  ///< sentences after the last drop

 private:
  at::Tensor log_probs_, logits_;
  std::vector<std::int64_t> last_but_one_, last_;
};

}  // namespace test
