#include "dragoman/attention/fused.h"

#include "dragoman/kernels/fused_attention.h"
#include "dragoman/tensor/dropout.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

namespace dragoman {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

template <typename Number>
HeadsView<Number> view_of(const at::Tensor& x) {
  if (!x.defined()) return {};
  return {static_cast<Number*>(x.data_ptr()), x.stride(0), x.stride(1), x.stride(2)};
}

/// Calls `body` with a value of the element type of `x`.
template <typename Body>
void with_number_of(const at::Tensor& x, const Body& body) {
  if (x.scalar_type() == at::kBFloat16)
    body(Bf16{});
  else
    body(float{});
}

/// [batch, num_heads, len, width] stored as [batch, len, num_heads * width]: the layout
/// in which the projections produce it and take its gradient.
at::Tensor empty_heads(const at::Tensor& like, std::int64_t len, std::int64_t width) {
  return at::empty({like.size(0), len, like.size(1), width}, like.options()).transpose(1, 2);
}

at::Tensor with_dense_columns(const at::Tensor& x) {
  return x.stride(3) == 1 || x.size(3) == 1 ? x : x.contiguous();
}

/// Expands broadcast axes, in float32; copies only if keys broadcast or the type differs.
at::Tensor broadcast(const at::Tensor& x, at::IntArrayRef sizes) {
  return x.defined() ? with_dense_columns(x.to(at::kFloat).expand(sizes)) : x;
}

/// Tensors of one call, all with four axes; undefined where not needed. Query, key and value are
/// float32 or bf16, all three the same.
struct Call {
  at::Tensor query, key, value, bias, seeing, dropout;
  double scale = 1.0;

  template <typename Number>
  FusedAttention<Number> input() const {
    return {.num_heads = query.size(1),
            .query_len = query.size(2),
            .key_len = key.size(2),
            .d_k = query.size(3),
            .d_v = value.size(3),
            .scale = static_cast<float>(scale),
            .query = view_of<const Number>(query),
            .key = view_of<const Number>(key),
            .value = view_of<const Number>(value),
            .bias = view_of<const float>(bias),
            .seeing = view_of<const float>(seeing),
            .dropout = view_of<const float>(dropout)};
  }

  /// Calls `body(first, last)` for ranges of heads, on several threads if available.
  template <typename Body>
  void for_heads(const Body& body) const {
    const auto cost = query.size(2) * key.size(2) * query.size(3);
    at::parallel_for(0, query.size(0) * query.size(1), 1 + (1 << 18) / (cost + 1), body);
  }
};

at::Tensor run_forward(const Call& call, const at::Tensor& weights) {
  const auto context = empty_heads(call.query, call.query.size(2), call.value.size(3));
  with_number_of(call.query, [&](auto number) {
    using Number = decltype(number);
    const auto input = call.input<Number>();
    const auto context_view = view_of<Number>(context);
    const auto weights_view = view_of<float>(weights);
    call.for_heads([&](std::int64_t first, std::int64_t last) {
      fused_attention_forward(input, context_view, weights_view, first, last);
    });
  });
  return context;
}

at::Tensor empty_weights(const Call& call) {
  return at::empty({call.query.size(0), call.query.size(1), call.query.size(2), call.key.size(2)},
                   call.query.options().dtype(at::kFloat));
}

/// The autograd node. Mask and dropout are constants.
class FusedAttentionFunction : public torch::autograd::Function<FusedAttentionFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Variable& query, const Variable& key,
                               const Variable& value, const Call& call) {
    const auto weights = empty_weights(call);
    context->save_for_backward({query, key, value, weights, call.dropout});
    context->saved_data["scale"] = call.scale;
    auto result = run_forward(call, weights);
    context->mark_non_differentiable({weights});
    context->set_materialize_grads(false);
    return {result, weights};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const Call call{.query = saved[0],
                    .key = saved[1],
                    .value = saved[2],
                    .bias = {},
                    .seeing = {},
                    .dropout = saved[4],
                    .scale = context->saved_data["scale"].toDouble()};
    const auto outer = with_dense_columns(gradients[0]);
    const auto query = empty_heads(call.query, call.query.size(2), call.query.size(3));
    const auto key = empty_heads(call.query, call.key.size(2), call.key.size(3));
    const auto value = empty_heads(call.query, call.value.size(2), call.value.size(3));
    with_number_of(call.query, [&](auto number) {
      using Number = decltype(number);
      const auto input = call.input<Number>();
      const auto weights_view = view_of<const float>(saved[3]);
      const auto outer_view = view_of<const Number>(outer);
      const FusedGradients<Number> result{view_of<Number>(query), view_of<Number>(key),
                                          view_of<Number>(value)};
      call.for_heads([&](std::int64_t first, std::int64_t last) {
        fused_attention_backward(input, weights_view, outer_view, result, first, last);
      });
    });
    return {query, key, value, Variable()};
  }
};

bool suits(const at::Tensor& x) {
  return x.is_cpu() &&
         (x.scalar_type() == at::kFloat || at::isReducedFloatingType(x.scalar_type()));
}

/// The type in which all three can be read: float32 unless they are bf16.
at::ScalarType common_type(const at::Tensor& query, const KeyValue& memory) {
  const auto is_bf16 = [](const at::Tensor& x) { return x.scalar_type() == at::kBFloat16; };
  return is_bf16(query) && is_bf16(memory.key) && is_bf16(memory.value) ? at::kBFloat16
                                                                        : at::kFloat;
}

}  // namespace

bool suits_fused_attention(const at::Tensor& query, const KeyValue& memory) {
  return suits(query) && suits(memory.key) && suits(memory.value) && memory.key.size(2) > 0 &&
         memory.key.size(2) <= longest_fused_attention;
}

AttentionResult fused_attention(const at::Tensor& query, const KeyValue& memory,
                                const AttentionMask& mask, const AttentionSettings& settings) {
  const auto batch = query.size(0), heads = query.size(1), rows = query.size(2);
  const auto prepare = [type = common_type(query, memory)](const at::Tensor& x) {
    return with_dense_columns(x.to(type));
  };
  Call call{.query = prepare(query),
            .key = prepare(memory.key),
            .value = prepare(memory.value),
            .bias = broadcast(mask.bias, {batch, heads, rows, memory.key.size(2)}),
            .seeing = broadcast(mask.seeing, {batch, heads, rows, 1}),
            .dropout = {},
            .scale = settings.scale};
  if (settings.training && settings.dropout > 0.0)
    call.dropout = dropout_factors(empty_weights(call), settings.dropout);
  const bool keep_weights = settings.need_weights == NeedWeights::yes;
  const bool graph =
      at::GradMode::is_enabled() &&
      (query.requires_grad() || memory.key.requires_grad() || memory.value.requires_grad());
  if (!graph) {
    const auto weights = keep_weights ? empty_weights(call) : at::Tensor();
    return {run_forward(call, weights), weights};
  }
  auto results = FusedAttentionFunction::apply(call.query, call.key, call.value, call);
  return {results[0], keep_weights ? results[1] : at::Tensor()};
}

}  // namespace dragoman
