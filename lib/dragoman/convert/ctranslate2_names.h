#pragma once

#include "dragoman/config/model_options.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dragoman {

/// Names of individual variables in CTranslate2's files.
namespace ctranslate2 {

inline constexpr const char* source_embedding = "encoder/embeddings_0/weight";
inline constexpr const char* target_embedding = "decoder/embeddings/weight";
inline constexpr const char* source_positions = "encoder/position_encodings/encodings";
inline constexpr const char* target_positions = "decoder/position_encodings/encodings";
inline constexpr const char* projection = "decoder/projection/weight";
inline constexpr const char* projection_bias = "decoder/projection/bias";

/// Codes of its activations.
inline const std::map<Activation, std::int8_t> activation_codes = {{Activation::relu, 0},
                                                                   {Activation::gelu_tanh, 1},
                                                                   {Activation::swish, 2},
                                                                   {Activation::gelu, 3},
                                                                   {Activation::gelu_sigmoid, 4}};

}  // namespace ctranslate2

/// A linear map or a norm under both names.
struct CTranslate2Names {
  std::string theirs;             ///< "encoder/layer_0/self_attention/linear_0"
  std::vector<std::string> ours;  ///< their rows are concatenated in `theirs`
  bool is_norm = false;           ///< gamma and beta instead of weight and bias
};

/// Every part of the encoder and the decoder, except the vocabulary matrices and positions.
std::vector<CTranslate2Names> ctranslate2_names(const ModelOptions& options);

}  // namespace dragoman
