#include "dragoman/model/multi_head_attention.h"

#include "dragoman/attention/factory.h"
#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/shape.h"

#include <utility>

namespace dragoman {

namespace {

/// [batch, len, num_heads * width] -> [batch, num_heads, len, width]
torch::Tensor split_heads(const torch::Tensor& x, std::int64_t num_heads, std::int64_t width) {
  return x.view({x.size(0), x.size(1), num_heads, width}).transpose(1, 2);
}

/// The inverse.
torch::Tensor join_heads(const torch::Tensor& x) {
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace

MultiHeadAttentionImpl::MultiHeadAttentionImpl(const ModelOptions& options,
                                               const LayerAttention& attention)
    : d_model_(options.d_model),
      d_k_(options.key_width()),
      d_v_(options.value_width()),
      all_heads_(options.num_heads),
      heads_(attention.kept_heads(options.num_heads)),
      num_heads_(std::ssize(heads_)),
      settings_{.scale = options.attention_scale(), .dropout = options.attention_dropout_rate()},
      attention_(num_heads_ > 0 ? make_attention(attention, options.num_heads) : nullptr) {
  // Query, key and value are initialised as one matrix of all three would be. Drawn separately they
  // are 1.4 times larger, and a post-norm model then ignores its source for thousands of steps.
  const auto map = [&](const char* name, std::int64_t inputs, std::int64_t outputs,
                       std::int64_t stacked) {
    return register_module(name, Linear(LinearOptions{.inputs = inputs,
                                                      .outputs = outputs,
                                                      .bias = options.attention_bias,
                                                      .stacked = stacked}));
  };
  const auto keys = num_heads_ * d_k_;
  const auto values = num_heads_ * d_v_;
  query_ = map("query", d_model_, keys, 3);
  key_ = map("key", d_model_, keys, 3);
  value_ = map("value", d_model_, values, 3);
  output_ = map("output", values, d_model_, 1);
  if (num_heads_ == 0) return;
  for (const auto& weight : attention_->weights()) register_parameter(weight.name, weight.value);
}

KeyValue MultiHeadAttentionImpl::project(const torch::Tensor& memory) {
  expect_shape("memory", memory, {"batch", "source_len", d_model_});
  const auto input = as_product_input(memory);
  return {split_heads(key_->forward(input), num_heads_, d_k_),
          split_heads(value_->forward(input), num_heads_, d_v_)};
}

torch::Tensor MultiHeadAttentionImpl::empty_context(const torch::Tensor& query) const {
  return query.new_zeros({query.size(0), query.size(1), 0});
}

/// Some kinds of attention compute in float32 whatever the type of `query` is.
torch::Tensor MultiHeadAttentionImpl::output_of(const torch::Tensor& context,
                                                const torch::Tensor& query) {
  return output_->forward(join_heads(context.to(query.scalar_type())));
}

torch::Tensor MultiHeadAttentionImpl::with_pruned_heads(const torch::Tensor& weights) const {
  if (!weights.defined() || num_heads_ == all_heads_) return weights;
  const auto all =
      weights.new_zeros({weights.size(0), all_heads_, weights.size(2), weights.size(3)});
  return all.index_copy(1, torch::tensor(heads_, weights.options().dtype(torch::kLong)), weights);
}

torch::Tensor MultiHeadAttentionImpl::forward(const torch::Tensor& query, const KeyValue& memory,
                                              const AttentionMask& mask,
                                              std::vector<at::Tensor>* maps) {
  expect_shape("query", query, {"batch", "query_len", d_model_});
  if (num_heads_ == 0) {
    if (maps != nullptr)
      maps->push_back(
          query.new_zeros({query.size(0), all_heads_, query.size(1), memory.key.size(2)}));
    return output_->forward(empty_context(query));
  }
  auto settings = settings_;
  settings.training = is_training();
  settings.need_weights = maps != nullptr ? NeedWeights::yes : NeedWeights::no;
  const auto projected = query_->forward(query);
  const auto heads =
      attention_->attend(split_heads(projected, num_heads_, d_k_), memory, mask, settings);
  if (maps != nullptr) maps->push_back(with_pruned_heads(heads.weights));
  return output_of(heads.context, projected);
}

torch::Tensor MultiHeadAttentionImpl::step(const torch::Tensor& token,
                                           const torch::Tensor& key_value_input, Past& past) {
  if (num_heads_ == 0) return output_->forward(empty_context(token));
  const auto next = project(key_value_input);
  const auto projected = query_->forward(token);
  return output_of(
      attention_->step(split_heads(projected, num_heads_, d_k_), next, past, settings_), projected);
}

torch::Tensor MultiHeadAttentionImpl::self_attend(const torch::Tensor& x,
                                                  const torch::Tensor& key_value_input,
                                                  const AttentionMask& mask,
                                                  std::vector<at::Tensor>* maps) {
  const auto input = as_product_input(x);
  return forward(input, project(key_value_input.is_same(x) ? input : key_value_input), mask, maps);
}

}  // namespace dragoman
