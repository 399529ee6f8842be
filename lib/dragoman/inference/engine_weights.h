#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/inference/weight_reader.h"
#include "dragoman/kernels/packed_matrix.h"
#include "dragoman/kernels/row_functions.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace dragoman {

/// The weights of a Transformer (figure 1), packed for inference. Structs have the names of the
/// modules of `model/` that define the same computation.

struct LayerNormWeights {
  std::vector<float> weight, bias;  ///< [d_model]; empty = there is no norm
  double eps = 1e-5;

  RowNorm norm() const { return {weight.data(), bias.data(), eps}; }
};

/// Multi-head attention (section 3.2.2). Each head's width is filled up with zeros to a multiple of
/// a vector's length.
struct MultiHeadAttentionWeights {
  std::int64_t num_heads = 0;     ///< that pruning left
  std::int64_t d_k = 0, d_v = 0;  ///< with the zeros
  float scale = 1.0F;
  PackedMatrix query = {};              ///< d_model -> num_heads * d_k
  PackedMatrix key = {};                ///< d_model -> num_heads * d_k
  PackedMatrix value = {};              ///< d_model -> num_heads * d_v
  PackedMatrix output = {};             ///< num_heads * d_v -> d_model
  std::vector<float> output_bias = {};  ///< the result if no head is left; empty = 0

  std::int64_t keys_width() const { return num_heads * d_k; }
  std::int64_t values_width() const { return num_heads * d_v; }
};

/// Section 3.3.
struct FeedForwardWeights {
  PackedMatrix inner, outer;
};

struct EncoderLayerWeights {
  MultiHeadAttentionWeights self_attention;
  LayerNormWeights self_attention_norm;
  FeedForwardWeights feed_forward;
  LayerNormWeights feed_forward_norm;
};

/// `model/ssru`.
struct SsruWeights {
  PackedMatrix input, forget;  ///< d_model -> d_model
  PackedMatrix output;         ///< the same; empty = the output is the state's
};

/// `model/average_attention`.
struct AverageAttentionWeights {
  std::vector<PackedMatrix> inner;     ///< d_model -> average_width, then within it
  PackedMatrix outer;                  ///< average_width -> d_model; empty if they are equal
  PackedMatrix input_gate, mean_gate;  ///< d_model -> d_model; empty = no gates
};

/// What a decoder layer may have instead of self-attention.
using RecurrenceWeights = std::variant<std::monostate, SsruWeights, AverageAttentionWeights>;

struct DecoderLayerWeights {
  MultiHeadAttentionWeights self_attention;  ///< unless there is a recurrence
  RecurrenceWeights recurrence;
  LayerNormWeights past_norm;  ///< of either
  MultiHeadAttentionWeights memory_attention;
  LayerNormWeights memory_attention_norm;
  FeedForwardWeights feed_forward;
  LayerNormWeights feed_forward_norm;
};

/// All of them. The products of one model have one type of weights; embeddings stay float32.
struct EngineWeights {
  ModelOptions options;
  VocabularySizes vocabulary;
  std::vector<float> positions = {};  ///< [max_positions, d_model], if they are learned
  std::shared_ptr<const std::vector<float>> source_embedding = {},
                                            target_embedding = {};          ///< may be one
  LayerNormWeights source_embedding_norm = {}, target_embedding_norm = {};  ///< may be empty
  std::vector<float> start_vector = {};  ///< [d_model], if the decoder reads no start token
  std::vector<EncoderLayerWeights> encoder = {};
  LayerNormWeights encoder_norm = {};  ///< pre-norm only
  std::vector<DecoderLayerWeights> decoder = {};
  LayerNormWeights decoder_norm = {};  ///< pre-norm only
  PackedMatrix generator = {};
};

/// Why `EngineWeights` cannot represent this model, by its option: "model.encoder_layer=lstm";
/// empty if they can.
std::string engine_lacks(const ModelOptions& options);

/// Reads and packs the weights of a model for which `engine_lacks` nothing.
/// \throws what `reader` throws
EngineWeights read_engine_weights(const ModelOptions& options, const VocabularySizes& vocabulary,
                                  WeightReader& reader, WeightType type);

}  // namespace dragoman
