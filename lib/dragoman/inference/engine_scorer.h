#pragma once

#include "dragoman/inference/engine_worker.h"
#include "dragoman/search/next_token_scorer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Runs an EngineModel's decoder one token at a time. Keys and values of previous tokens are stored
/// once and never moved: reordering rows, as beam search does at nearly every step, only records, once
/// for all layers, which row of each token a row continues.
class EngineScorer : public NextTokenScorer {
 public:
  /// All must outlive this object and be used by no one else meanwhile.
  EngineScorer(const EncodedSentences& encoded, EngineWorkspace& workspace, DecoderCaches& caches,
               bool track_coverage);

  void advance(std::span<const std::int64_t> tokens) override;
  Logits logits(std::int64_t first, std::int64_t count) override;
  std::int64_t rows_at_once() const override { return 64; }
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  void embed(std::span<const std::int64_t> tokens);
  void attend_past(std::size_t layer, const float* x, const ProductResult& result);
  void attend_memory(std::size_t layer, const float* x, const ProductResult& result);
  void begin_coverage();

  const EngineWeights& weights_;
  EngineWorkspace& workspace_;
  DecoderCaches& caches_;
  std::vector<RowRange> sentences_;   // that are still searched: their rows in the memory
  std::int64_t rows_ = 0;             // of the last step
  std::int64_t length_ = 0;           // tokens given so far
  std::vector<std::int64_t> origin_;  // [length, rows]: which row of a token a row continues
  Buffer hidden_;                     // of the last tokens, [rows, d_model]
  bool track_coverage_;
  std::vector<float> step_attention_;          // of one sentence's rows at the last step
  std::vector<std::vector<float>> attention_;  // of each row, summed over the steps
};

}  // namespace dragoman
