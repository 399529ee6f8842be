#pragma once

#include "dragoman/inference/engine_recurrence.h"
#include "dragoman/inference/engine_worker.h"
#include "dragoman/inference/step_logits.h"
#include "dragoman/kernels/beam_attention.h"
#include "dragoman/search/next_token_scorer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Rows whose logits are computed together: few enough to stay in the cache until they are read.
inline constexpr std::int64_t rows_of_logits = 64;

/// Runs an EngineModel's decoder one token at a time. Keys and values of previous tokens are stored
/// once and never moved: reordering rows, as beam search does at nearly every step, only records,
/// once for all layers, which row of each token a row continues.
class EngineScorer : public NextTokenScorer {
 public:
  /// \param encoded read by the constructor alone
  /// \param workspace and \param caches must outlive this object and be used by no one else
  ///     meanwhile
  /// \param short_generator whose sentences are those encoded; null = the whole generator
  EngineScorer(const EncodedSentences& encoded, EngineWorkspace& workspace, DecoderCaches& caches,
               const ShortGenerator* short_generator, bool track_coverage);

  void advance(std::span<const std::int64_t> tokens) override;
  bool takes_prefixes() const override { return true; }
  std::vector<std::vector<PrefixToken>> advance_prefix(ForcedPrefixes prefixes, std::int64_t length,
                                                       const TokenRules& rules) override;
  Logits logits(std::int64_t first, std::int64_t count) override;
  std::int64_t rows_at_once() const override { return rows_of_logits; }
  std::vector<double> coverage() override;
  void select_rows(std::span<const std::int64_t> rows) override;
  void select_sentences(std::span<const std::int64_t> sentences) override;

 private:
  void embed(std::span<const std::int64_t> tokens);
  void read_past(std::size_t layer, const LayerRows& x, const ProductResult& result);
  void attend_past(std::size_t layer, const LayerRows& x, const ProductResult& result);
  RecurrenceRows states_of_step(std::size_t layer);
  void make_room_in_caches(std::int64_t length);
  void read_prefix(std::size_t layer, const LayerRows& x, std::int64_t length,
                   const ProductResult& result);
  void attend_prefixes(std::size_t layer, const LayerRows& x, std::span<const RowRange> prefixes,
                       const ProductResult& result);
  void recur_over_prefixes(std::size_t layer, const LayerRows& x,
                           std::span<const RowRange> prefixes, const ProductResult& result);
  void sum_coverage_of_prefixes(std::int64_t length);
  std::vector<std::vector<PrefixToken>> tokens_of_prefixes(ForcedPrefixes prefixes,
                                                           std::int64_t length,
                                                           const TokenRules& rules);
  void attend_memory(std::size_t layer, const float* x, const ProductResult& result);
  void project_memory(const EncodedSentences& encoded, std::size_t layer);
  void make_room_for_weights(std::int64_t beam);
  void add_to_coverage(std::int64_t beam);

  const EngineWeights& weights_;
  EngineWorkspace& workspace_;
  DecoderCaches& caches_;
  StepLogits logits_;
  std::vector<std::size_t> numbers_;  // of the sentences that are still searched, among all
  std::vector<RowRange> sentences_;   // their rows in the memory
  std::vector<std::vector<BeamMemory>> layers_;  // of each layer: the memory of each sentence
  std::int64_t rows_ = 0;                        // of the last step, or of all tokens of a prefix
  std::int64_t length_ = 0;                      // tokens given so far
  std::vector<std::int64_t> origin_;      // [length, rows]: which row of a token a row continues
  Buffer hidden_;                         // of the last tokens, [rows, d_model]
  std::vector<std::size_t> row_numbers_;  // of the sentences of the rows whose logits are computed
  bool track_coverage_;
  std::vector<float> step_weights_;           // of the last layer to the memory, at the last step
  std::vector<std::vector<float>> coverage_;  // of each row: these weights' sum over the steps
};

}  // namespace dragoman
