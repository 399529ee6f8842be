#include "dragoman/attention/sparse.h"

#include "dragoman/attention/full.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/kernels/fused_attention.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/dropout.h"

#include <ATen/ATen.h>

#include <utility>

namespace dragoman {

namespace {

/// One softmax over all subsets, each of which then sums its values.
at::Tensor attend_subsets(const at::Tensor& query, const KeyValue& memory,
                          const KeySubsets& subsets, const AttentionMask& mask,
                          const AttentionSettings& settings) {
  const auto len = query.size(2);
  const auto scaled = query * settings.scale;
  std::vector<at::Tensor> scores;
  for (const auto& subset : subsets)
    scores.push_back(
        at_least_float(subset->scores(scaled, memory.key))
            .masked_fill(subset->allowed(len, mask, query.device()).logical_not(), hidden_score));
  const auto all = scores.size() == 1 ? scores.front() : at::cat(scores, -1);
  const auto weights = dragoman::dropout(at::softmax(all, -1).to(memory.value.scalar_type()),
                                         settings.dropout, settings.training);
  at::Tensor context;
  std::int64_t first = 0;
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    const auto width = scores[i].size(3);
    const auto part = subsets[i]->context(weights.narrow(3, first, width), memory.value);
    context = context.defined() ? context + part : part;
    first += width;
  }
  if (!mask.key_mask.defined()) return context;  // every query sees itself
  const auto seeing = all.detach().amax(-1, /*keepdim=*/true) > hidden_score / 2;
  return context * seeing.to(context.scalar_type());
}

/// Replaces the rows of global positions, which see all keys.
/// \param globals from GlobalPositions::find
at::Tensor with_global_rows(const at::Tensor& context, const at::Tensor& query,
                            const KeyValue& memory, const at::Tensor& globals,
                            const AttentionMask& mask, const AttentionSettings& settings) {
  const auto len = query.size(2), count = globals.size(1);
  const auto position = globals.to(query.device(), /*non_blocking=*/true).view({-1, 1, count, 1});
  const auto exists = position >= 0;
  auto allow = exists;
  if (mask.is_causal) allow = at::arange(len, position.options()).view({1, 1, 1, len}) <= position;
  if (mask.key_mask.defined()) allow = allow.logical_and(mask.key_mask.unsqueeze(1).unsqueeze(1));
  const auto seen = AttentionMask::from(allow.expand({-1, -1, count, len}), query.scalar_type());
  const auto rows = product_attention(rows_at(query, globals), memory, seen, settings).context;
  const auto index =
      position.clamp_min(0).expand({context.size(0), context.size(1), count, context.size(3)});
  const auto is_global = at::zeros({position.size(0), 1, len, 1}, position.options())
                             .scatter_add(2, position.clamp_min(0), exists.to(at::kLong)) > 0;
  return context.masked_fill(is_global, 0.0)
      .scatter_add(2, index, (rows * exists.to(rows.scalar_type())).to(context.scalar_type()));
}

/// The pairs of a pattern: [1, 1, len, len] bool.
at::Tensor pattern_pairs(const Pattern& pattern, std::int64_t len, const at::Device& device) {
  if (!device.is_cpu()) {
    const auto positions = at::arange(len, at::TensorOptions(at::kLong).device(device));
    const auto pairs = pattern.rule()(positions.unsqueeze(1), positions.unsqueeze(0));
    return pairs.view({1, 1, len, len});
  }
  auto allow = at::empty({1, 1, len, len}, at::kBool);
  auto* cell = allow.mutable_data_ptr<bool>();
  for (std::int64_t i = 0; i < len; ++i)
    for (std::int64_t j = 0; j < len; ++j) *cell++ = pattern.allows(i, j);
  return allow;
}

}  // namespace

SparseAttention::SparseAttention(std::shared_ptr<const Pattern> pattern, GlobalPositions globals)
    : pattern_(std::move(pattern)), globals_(std::move(globals)) {}

at::Tensor SparseAttention::allowed(std::int64_t len, const AttentionMask& mask,
                                    const at::Device& device) const {
  const auto allow = pattern_pairs(*pattern_, len, device);
  if (globals_.empty()) return allow;
  const auto globals = globals_.find(len, mask);
  const auto is_global =
      at::zeros({globals.size(0), len}, at::kLong)
          .scatter_add(1, globals.clamp_min(0), (globals >= 0).to(at::kLong)) > 0;
  const auto own = is_global.to(device, /*non_blocking=*/true).unsqueeze(1);
  return allow.logical_or(own.unsqueeze(2)).logical_or(own.unsqueeze(3));
}

AttentionResult SparseAttention::attend(const at::Tensor& query, const KeyValue& memory,
                                        const AttentionMask& mask,
                                        const AttentionSettings& settings) const {
  const auto len = query.size(2);
  if (memory.key.size(2) != len)
    throw ContractError(concat("sparse attention: ", len, " queries and ", memory.key.size(2),
                               " keys; both must be of the same sequence"));
  if (settings.need_weights == NeedWeights::yes || !mask.is_structured() || query.numel() == 0) {
    auto allow = allowed(len, mask, query.device());
    const auto other = mask.allowed(len, len, query.device());
    if (other.defined()) allow = allow.logical_and(other);
    return product_attention(query, memory, AttentionMask::from(allow, query.scalar_type()),
                             settings);
  }
  auto subsets = pattern_->subsets(len, mask.is_causal);
  if (globals_.empty()) return {attend_subsets(query, memory, subsets, mask, settings), {}};
  const auto globals = globals_.find(len, mask);
  if (globals.size(1) == 0) return {attend_subsets(query, memory, subsets, mask, settings), {}};
  subsets.push_back(std::make_shared<ColumnKeys>(
      globals, position_rule([rule = pattern_->rule()](const auto& i, const auto& j) {
        return not_so(rule(i, j));
      })));
  const auto context = attend_subsets(query, memory, subsets, mask, settings);
  return {with_global_rows(context, query, memory, globals, mask, settings), {}};
}

at::Tensor SparseAttention::attend_past(const at::Tensor& query, const KeyValueCache& past,
                                        const AttentionSettings& settings) const {
  const auto newest = past.length() - 1;
  std::vector<std::int64_t> seen;
  for (std::int64_t t = 0; t <= newest; ++t)
    if (pattern_->allows(newest, t) || globals_.has(t) || globals_.has(newest)) seen.push_back(t);
  return product_attention(query, past.some(seen), {}, settings).context;
}

}  // namespace dragoman
