#pragma once

#include "dragoman/attention/factory.h"

#include "support/close.h"

#include <torch/csrc/autograd/autograd.h>

#include <string>
#include <vector>

namespace test {

/// Queries, keys and values that collect gradients, and a gradient of the context.
struct Heads {
  at::Tensor query, key, value, outer;
};

/// The real tokens of sentences padded at the end to `len`: [batch, len] bool.
inline at::Tensor real_tokens(const std::vector<std::int64_t>& lengths, std::int64_t len) {
  return at::arange(len).unsqueeze(0) < at::tensor(lengths).unsqueeze(1);
}

/// [batch, num_heads, len, width], as projections produce them: positions vary slower than heads in
/// memory.
inline Heads random_heads(std::int64_t batch, std::int64_t queries, std::int64_t keys,
                          std::int64_t d_k = 4, std::int64_t d_v = 5,
                          at::ScalarType type = at::kDouble, std::int64_t num_heads = 2) {
  at::manual_seed(static_cast<std::uint64_t>(queries * 1000 + keys));
  const auto draw = [&](std::int64_t len, std::int64_t width) {
    return at::randn({batch, len, num_heads, width}, type).transpose(1, 2);
  };
  return {draw(queries, d_k).requires_grad_(), draw(keys, d_k).requires_grad_(),
          draw(keys, d_v).requires_grad_(), draw(queries, d_v)};
}

/// A context and the gradients of sum(context * outer).
struct Attended {
  at::Tensor context, query, key, value;
};

inline Attended attended(const dragoman::Attention& attention, const Heads& heads,
                         const dragoman::AttentionMask& mask,
                         const dragoman::AttentionSettings& settings = {.scale = 0.5}) {
  const auto context =
      attention.attend(heads.query, {heads.key, heads.value}, mask, settings).context;
  const auto gradients = torch::autograd::grad({context}, {heads.query, heads.key, heads.value},
                                               {heads.outer}, /*retain_graph=*/std::nullopt,
                                               /*create_graph=*/false, /*allow_unused=*/true);
  return {context.detach(), gradients[0], gradients[1], gradients[2]};
}

/// The same for each tensor.
inline void check_same(const Attended& actual, const Attended& expected,
                       const Tolerance& tolerance) {
  CHECK_THAT(actual.context, close_to(expected.context, tolerance));
  CHECK_THAT(actual.query, close_to(expected.query, tolerance));
  CHECK_THAT(actual.key, close_to(expected.key, tolerance));
  CHECK_THAT(actual.value, close_to(expected.value, tolerance));
}

/// Softmax attention of a kind, computed over all pairs by the definition.
inline Attended attended_densely(const dragoman::Attention& attention, const Heads& heads,
                                 const dragoman::AttentionMask& mask) {
  dragoman::AttentionSettings settings{.scale = 0.5};
  settings.need_weights = dragoman::NeedWeights::yes;
  return attended(attention, heads, mask, settings);
}

/// Options of every kind, with sizes that have an effect on a dozen positions.
inline std::vector<dragoman::HeadAttention> all_kinds() {
  using dragoman::AttentionKind;
  std::vector<dragoman::HeadAttention> kinds;
  for (const auto kind :
       {AttentionKind::full, AttentionKind::tiled, AttentionKind::fused_torch, AttentionKind::local,
        AttentionKind::dilated, AttentionKind::strided, AttentionKind::strided_relative,
        AttentionKind::sparse_strided, AttentionKind::sparse_fixed, AttentionKind::global_local,
        AttentionKind::longformer, AttentionKind::linear, AttentionKind::low_rank})
    kinds.push_back({.kind = kind,
                     .radius = 2,
                     .dilation = 3,
                     .stride = 3,
                     .block = 4,
                     .rank = 3,
                     .max_length = 32});
  return kinds;
}

/// Which query attends to which key, read from the weights: [len, len] bool.
inline at::Tensor seen_pairs(const dragoman::HeadAttention& options, std::int64_t len,
                             const dragoman::AttentionMask& mask = {}) {
  const auto x = at::zeros({1, 1, len, 1}, at::kDouble);
  const auto dense = mask.dense(len, len, x);
  const auto result = dragoman::make_attention(options)->attend(
      x, {x, x}, dense, {.need_weights = dragoman::NeedWeights::yes});
  return result.weights[0][0] > 0;
}

inline std::string name_of(const dragoman::HeadAttention& options) {
  return nlohmann::json(options.kind).get<std::string>();
}

}  // namespace test
