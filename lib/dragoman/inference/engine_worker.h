#pragma once

#include "dragoman/inference/engine_workspace.h"
#include "dragoman/inference/inference_model.h"
#include "dragoman/inference/short_generator.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dragoman {

/// The encoder's output for some sentences.
struct EncodedSentences {
  std::vector<RowRange> sentences;
  std::int64_t rows = 0;  ///< of all sentences
  Buffer memory;          ///< [rows, d_model]
};

/// The keys and values of a scorer, kept between batches so that their buffers are reused.
struct DecoderCaches {
  struct Layer {
    Buffer memory_keys;    ///< of each sentence, one after the other, by `transpose_keys`
    Buffer memory_values;  ///< [source rows, values_width]
    /// One buffer for each step: [rows at that step, width]. A recurrence has its states, [rows at
    /// that step, d_model], in place of keys.
    std::vector<Buffer> past_keys, past_values;
  };
  std::vector<Layer> layers;
};

/// A worker of an EngineModel.
class EngineWorker : public InferenceWorker {
 public:
  /// \param generator the outputs of the weights' generator; null if there is no shortlist
  EngineWorker(const EngineWeights& weights, const InferenceOptions& options,
               const PackedOutputs* generator);

  std::unique_ptr<NextTokenScorer> start(Sentences sources, const SearchOptions& search,
                                         ForcedPrefixes prefixes,
                                         const std::stop_token& stop) override;
  using InferenceWorker::log_probs;
  std::vector<std::vector<float>> log_probs(Sentences sources, Sentences targets,
                                            MostProbable* most_probable,
                                            const std::stop_token& stop) override;
  using InferenceWorker::attention;
  std::vector<PairAttention> attention(Sentences sources, Sentences targets,
                                       const std::stop_token& stop) override;

 private:
  /// Writes the row of a token at its position in a sentence.
  using EmbedToken = void (EngineWorkspace::*)(std::int64_t id, std::int64_t position, float* x);

  /// All tokens of the sentences, one row for each.
  /// \return where each sentence's rows are
  std::vector<RowRange> embed_all(Sentences sentences, EmbedToken embed, Buffer& x);
  void encode(Sentences sources);

  /// Teacher forcing: each target is read as BOS and all its tokens but the last.
  /// \param attention filled in if not null
  /// \return where each target's rows are in `decoded_`
  std::vector<RowRange> decode(Sentences targets, std::vector<PairAttention>* attention);

  const EngineWeights& weights_;
  std::int64_t bos_;  ///< of the target
  EngineWorkspace workspace_;
  std::vector<std::vector<std::int32_t>> encoded_sources_;  ///< whose memory is in `encoded_`
  EncodedSentences encoded_;
  Buffer decoded_;  ///< [rows, d_model]
  DecoderCaches caches_;
  std::optional<ShortGenerator> short_generator_;
};

}  // namespace dragoman
