#include "dragoman/attention/tiled.h"

#include "dragoman/kernels/fused_attention.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/random_stream.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <limits>

namespace dragoman {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A range of positions.
struct Range {
  std::int64_t first, count;
  std::int64_t last() const { return first + count - 1; }
};

/// All inputs of one call except queries, keys and values.
struct TiledCall {
  AttentionMask mask;
  double scale = 1.0;
  double dropout = 0.0;      ///< 0 outside training
  std::uint64_t stream = 0;  ///< key of the dropout random numbers
  std::int64_t block = 1;

  bool only_past() const { return mask.is_structured() && mask.is_causal; }

  // Both passes visit the tiles in this order, since it determines which weights are dropped.

  /// Calls `body(keys)` for each range of keys of which some query in `queries` sees one.
  template <typename Body>
  void for_keys(const Range& queries, std::int64_t key_len, const Body& body) const {
    const auto end = only_past() ? std::min(key_len, queries.last() + 1) : key_len;
    for (std::int64_t first = 0; first < end; first += block)
      body(Range{first, std::min(block, key_len - first)});
  }

  /// Calls `body(queries)` for each range of queries.
  template <typename Body>
  void for_queries(std::int64_t query_len, const Body& body) const {
    for (std::int64_t first = 0; first < query_len; first += block)
      body(Range{first, std::min(block, query_len - first)});
  }

  /// Masks in place what a tile's queries may not see.
  void hide(at::Tensor& scores, const Range& queries, const Range& keys) const;

  /// Dropout factors of a tile's weights; undefined without dropout.
  at::Tensor dropout_of(const at::Tensor& like) const {
    return dropout == 0.0 ? at::Tensor() : dropout_factors(like, dropout);
  }
};

at::Tensor part(const at::Tensor& x, const Range& range) {
  return x.narrow(2, range.first, range.count);
}

/// The part of a mask that belongs to a tile; axes of size 1 broadcast.
at::Tensor tile_of(const at::Tensor& bias, const Range& queries, const Range& keys) {
  auto tile = bias;
  while (tile.dim() < 4) tile = tile.unsqueeze(0);
  if (tile.size(2) > 1) tile = tile.narrow(2, queries.first, queries.count);
  return tile.size(3) > 1 ? tile.narrow(3, keys.first, keys.count) : tile;
}

void TiledCall::hide(at::Tensor& scores, const Range& queries, const Range& keys) const {
  if (!mask.is_structured()) {
    scores.add_(tile_of(mask.bias, queries, keys));
    return;
  }
  if (mask.key_mask.defined())
    scores.masked_fill_(
        mask.key_mask.narrow(1, keys.first, keys.count).logical_not().unsqueeze(1).unsqueeze(1),
        hidden_score);
  if (!mask.is_causal || keys.last() <= queries.first) return;
  const auto options = scores.options().dtype(at::kLong);
  const auto query = at::arange(queries.first, queries.last() + 1, options).unsqueeze(1);
  scores.masked_fill_(at::arange(keys.first, keys.last() + 1, options) > query, hidden_score);
}

/// In the queries' type, in which the softmax is computed, even where autocast multiplies in bf16.
at::Tensor tile_scores(const at::Tensor& query, const at::Tensor& key, const TiledCall& call,
                       const Range& queries, const Range& keys) {
  auto scores = at::matmul(query, key.transpose(2, 3)).to(query.scalar_type()).mul_(call.scale);
  call.hide(scores, queries, keys);
  return scores;
}

/// One block of queries: iterates over the keys while tracking the maximum score so far, the sum of
/// exponentials and the weighted sum, and rescales the latter two when the maximum increases.
TiledResult attend_block(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const TiledCall& call, const Range& queries) {
  const auto rows = part(query, queries);
  auto highest =
      at::full({query.size(0), query.size(1), queries.count, 1}, hidden_score, query.options());
  auto sum = at::zeros_like(highest);
  auto context =
      at::zeros({query.size(0), query.size(1), queries.count, value.size(3)}, query.options());
  call.for_keys(queries, key.size(2), [&](const Range& keys) {
    auto weights = tile_scores(rows, part(key, keys), call, queries, keys);
    const auto now = at::maximum(highest, weights.amax(-1, /*keepdim=*/true));
    const auto shrink = (highest - now).exp_();
    weights.sub_(now).exp_();
    sum = sum.mul_(shrink).add_(weights.sum(-1, /*keepdim=*/true));
    const auto factors = call.dropout_of(weights);
    if (factors.defined()) weights.mul_(factors);
    context = context.mul_(shrink).add_(at::matmul(weights, part(value, keys)));
    highest = now;
  });
  const auto blind = highest <= hidden_score / 2;
  auto logsumexp = (highest + sum.log()).masked_fill_(blind, -infinity).squeeze(3);
  return {context.div_(sum).masked_fill_(blind, 0.0), logsumexp};
}

TiledResult run_tiled(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                      const TiledCall& call) {
  const RandomScope same_dropout(call.stream);
  auto context =
      at::empty({query.size(0), query.size(1), query.size(2), value.size(3)}, query.options());
  auto logsumexp = at::empty({query.size(0), query.size(1), query.size(2)}, query.options());
  call.for_queries(query.size(2), [&](const Range& queries) {
    const auto block = attend_block(query, key, value, call, queries);
    part(context, queries).copy_(block.context);
    part(logsumexp, queries).copy_(block.logsumexp);
  });
  return {context, logsumexp};
}

struct TiledGradients {
  at::Tensor query, key, value;
};

/// Dao et al. 2022, algorithm 4, tile by tile: weights = exp(scores - logsumexp), and d, its D, is
/// the sum over each row of dO times O.
TiledGradients run_tiled_backward(const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, const TiledResult& result,
                                  const at::Tensor& context_gradient, const TiledCall& call) {
  const RandomScope same_dropout(call.stream);
  TiledGradients gradients{at::zeros_like(query), at::zeros_like(key), at::zeros_like(value)};
  const auto d = (context_gradient * result.context).sum(-1, /*keepdim=*/true);
  // For a query that sees no key, every weight becomes 0.
  const auto logsumexp =
      result.logsumexp.masked_fill(result.logsumexp == -infinity, infinity).unsqueeze(3);
  call.for_queries(query.size(2), [&](const Range& queries) {
    const auto rows = part(query, queries), grad_rows = part(context_gradient, queries);
    call.for_keys(queries, key.size(2), [&](const Range& keys) {
      auto weights = tile_scores(rows, part(key, keys), call, queries, keys);
      weights.sub_(part(logsumexp, queries)).exp_();
      const auto factors = call.dropout_of(weights);
      const auto used = factors.defined() ? weights * factors : weights;
      part(gradients.value, keys).add_(at::matmul(used.transpose(2, 3), grad_rows));
      auto grad_scores =
          at::matmul(grad_rows, part(value, keys).transpose(2, 3)).to(query.scalar_type());
      if (factors.defined()) grad_scores.mul_(factors);
      grad_scores.sub_(part(d, queries)).mul_(weights).mul_(call.scale);
      part(gradients.query, queries).add_(at::matmul(grad_scores, part(key, keys)));
      part(gradients.key, keys).add_(at::matmul(grad_scores.transpose(2, 3), rows));
    });
  });
  return gradients;
}

/// The autograd node. The mask is a constant.
class TiledFunction : public torch::autograd::Function<TiledFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Variable& query, const Variable& key,
                               const Variable& value, const TiledCall& call) {
    const auto result = run_tiled(query, key, value, call);
    context->save_for_backward(
        {query, key, value, result.context, result.logsumexp, call.mask.bias, call.mask.key_mask});
    context->saved_data["causal"] = call.mask.is_causal;
    context->saved_data["scale"] = call.scale;
    context->saved_data["dropout"] = call.dropout;
    context->saved_data["stream"] = static_cast<std::int64_t>(call.stream);
    context->saved_data["block"] = call.block;
    const auto types = ProductTypes::now(query.device().type());
    context->saved_data["autocast"] = types.autocast;
    context->saved_data["type"] = static_cast<std::int64_t>(types.type);
    context->mark_non_differentiable({result.logsumexp});
    context->set_materialize_grads(false);
    return {result.context, result.logsumexp};
  }

  static variable_list backward(AutogradContext* context, const variable_list& outer) {
    const auto saved = context->get_saved_variables();
    auto& data = context->saved_data;
    TiledCall call{.mask = {},
                   .scale = data["scale"].toDouble(),
                   .dropout = data["dropout"].toDouble(),
                   .stream = static_cast<std::uint64_t>(data["stream"].toInt()),
                   .block = data["block"].toInt()};
    call.mask.bias = saved[5];
    call.mask.key_mask = saved[6];
    call.mask.is_causal = data["causal"].toBool();
    // The tiles' scores must be those of the forward pass, or its logsumexp does not fit them.
    const ProductTypesScope same_types({.device = saved[0].device().type(),
                                        .autocast = data["autocast"].toBool(),
                                        .type = static_cast<at::ScalarType>(data["type"].toInt())});
    const auto result =
        run_tiled_backward(saved[0], saved[1], saved[2], {saved[3], saved[4]}, outer[0], call);
    return {result.query, result.key, result.value, Variable()};
  }
};

}  // namespace

TiledResult tiled_attention(const at::Tensor& query, const KeyValue& memory,
                            const AttentionMask& mask, const AttentionSettings& settings,
                            std::int64_t block) {
  const bool drops = settings.training && settings.dropout > 0.0;
  const TiledCall call{.mask = mask,
                       .scale = settings.scale,
                       .dropout = drops ? settings.dropout : 0.0,
                       .stream = drops ? next_random_stream() : 0,
                       .block = block};
  const auto results = TiledFunction::apply(at_least_float(query), at_least_float(memory.key),
                                            at_least_float(memory.value), call);
  return {results[0], results[1]};
}

AttentionResult TiledAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                       const AttentionMask& mask,
                                       const AttentionSettings& settings) const {
  if (settings.need_weights == NeedWeights::yes)
    return product_attention(query, memory, mask, settings);
  return {tiled_attention(query, memory, mask, settings, block_).context, {}};
}

}  // namespace dragoman
