#pragma once

#include "dragoman/config/enum_names.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Which keys a query weighs, and how. `full`, `tiled` and `fused_torch` compute the same function;
/// every other kind is a function of its own. Each file under attention/ names its source.
enum class AttentionKind {
  full,
  tiled,
  fused_torch,
  local,
  dilated,
  strided,
  strided_relative,
  sparse_strided,
  sparse_fixed,
  global_local,
  longformer,
  linear,
  low_rank
};
DRAGOMAN_ENUM_NAMES(AttentionKind, {{AttentionKind::full, "full"},
                                    {AttentionKind::tiled, "tiled"},
                                    {AttentionKind::fused_torch, "fused_torch"},
                                    {AttentionKind::local, "local"},
                                    {AttentionKind::dilated, "dilated"},
                                    {AttentionKind::strided, "strided"},
                                    {AttentionKind::strided_relative, "strided_relative"},
                                    {AttentionKind::sparse_strided, "sparse_strided"},
                                    {AttentionKind::sparse_fixed, "sparse_fixed"},
                                    {AttentionKind::global_local, "global_local"},
                                    {AttentionKind::longformer, "longformer"},
                                    {AttentionKind::linear, "linear"},
                                    {AttentionKind::low_rank, "low_rank"}})

/// Whether a kind computes softmax(Q K^T) V over all keys that the mask allows.
bool is_exact(AttentionKind kind);

/// The self-attention of one head. An option that its kind does not name has no effect.
struct HeadAttention {
  AttentionKind kind = AttentionKind::full;
  std::int64_t radius = 8;    ///< keys to each side: local, dilated, global_local, longformer
  std::int64_t dilation = 2;  ///< positions from one key to the next: dilated, longformer
  std::int64_t stride = 8;    ///< s: strided, strided_relative, sparse_strided, sparse_fixed
  std::int64_t summary =
      1;  ///< c, the last keys of a block, which all later queries see: sparse_fixed
  /// Positions that see all and are seen by all; -1 is a sentence's last: global_local, longformer.
  std::vector<std::int64_t> global_positions = {0};
  std::vector<std::int64_t> global_tokens =
      {};                          ///< ids of pieces that are global too; encoder only
  std::int64_t block = 128;        ///< queries and keys of a tile: tiled
  std::int64_t rank = 32;          ///< rows that keys and values are projected to: low_rank
  std::int64_t max_length = 1024;  ///< tokens that can be projected: low_rank
  std::int64_t limit_mb = 8192;    ///< MiB that the weights of one call may take: full, fused_torch

  bool operator==(const HeadAttention&) const = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(HeadAttention, kind, radius, dilation, stride,
                                                summary, global_positions, global_tokens, block,
                                                rank, max_length, limit_mb)

/// One attention of a layer. In JSON an object: the keys of `common`, and "heads", a list of
/// objects that say what differs from them, one for each head, and "pruned_heads", a list of
/// numbers.
struct LayerAttention {
  HeadAttention common;              ///< of all heads, unless `heads` says more
  std::vector<HeadAttention> heads;  ///< empty, or one for each of the model's heads
  /// Pruned heads, from 0, ascending; an attention without any head only adds its output bias.
  std::vector<std::int64_t> pruned_heads = {};

  /// The numbers of the remaining heads, of `num_heads` in all.
  std::vector<std::int64_t> kept_heads(std::int64_t num_heads) const;
  /// The options of the remaining heads.
  std::vector<HeadAttention> of_heads(std::int64_t num_heads) const;
  /// Whether some head is of this kind.
  bool has(AttentionKind kind) const;
};

void to_json(nlohmann::json& json, const LayerAttention& layer);
void from_json(const nlohmann::json& json, LayerAttention& layer);

/// One attention of each layer of a stack. In JSON an object for all layers, or a list with an
/// object for each.
struct StackAttention {
  std::vector<LayerAttention> layers = {LayerAttention{}};  ///< one for all, or one for each

  const LayerAttention& of_layer(std::int64_t layer) const;
  /// The number of pruned heads in all `num_layers` layers.
  std::int64_t pruned_heads(std::int64_t num_layers) const;
  /// Whether some head of some layer is of this kind.
  bool has(AttentionKind kind) const;
  /// Whether some head's global positions are determined by the pieces there.
  bool needs_tokens() const;
};

/// Whether every head of every layer has an exact kind.
bool is_exact(const StackAttention& stack);

/// Whether weights that were trained with `a` mean the same with `b`: the same heads, each with
/// equal options or exact kinds.
bool same_function(const StackAttention& a, const StackAttention& b, std::int64_t num_layers,
                   std::int64_t num_heads);

void to_json(nlohmann::json& json, const StackAttention& stack);
void from_json(const nlohmann::json& json, StackAttention& stack);

/// Whose attention it is: the decoder's self-attention refuses what decoding cannot know, and
/// cross-attention refuses what refers to positions of one sequence.
enum class StackSide { encoder, decoder, cross };

/// \param key in messages, such as "model.encoder_attention"
/// \throws OptionsError naming the first option that is wrong, with its layer and head in brackets.
void validate_attention(const StackAttention& stack, StackSide side, const std::string& key,
                        std::int64_t num_layers, std::int64_t num_heads);

}  // namespace dragoman
