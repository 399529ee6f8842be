#include "dragoman/tensor/linear_recurrence.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

namespace dragoman {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

enum class TimeOrder { forward, backward };

/// One pass over memory for each sentence.
void recur_on_cpu(const at::Tensor& factor, const at::Tensor& addend, TimeOrder order,
                  const at::Tensor& result) {
  const auto len = factor.size(1), features = factor.size(2);
  const auto step = order == TimeOrder::forward ? features : -features;
  const auto begin = order == TimeOrder::forward ? 0 : (len - 1) * features;
  AT_DISPATCH_FLOATING_TYPES(factor.scalar_type(), "linear_recurrence", [&] {
    const auto* factors = factor.const_data_ptr<scalar_t>();
    const auto* addends = addend.const_data_ptr<scalar_t>();
    auto* results = result.mutable_data_ptr<scalar_t>();
    at::parallel_for(0, factor.size(0), 1, [&](std::int64_t first, std::int64_t last) {
      for (auto sentence = first; sentence < last; ++sentence) {
        auto at = sentence * len * features + begin;
        std::copy_n(addends + at, features, results + at);
        for (std::int64_t t = 1; t < len; ++t) {
          const auto before = at;
          at += step;
          for (std::int64_t i = 0; i < features; ++i)
            results[at + i] = factors[at + i] * results[before + i] + addends[at + i];
        }
      }
    });
  });
}

at::Tensor recur(const at::Tensor& factor, const at::Tensor& addend, TimeOrder order) {
  const auto result = at::empty_like(addend);
  const auto len = factor.size(1);
  if (result.numel() == 0) return result;
  if (result.is_cpu()) {
    recur_on_cpu(factor, addend, order, result);
    return result;
  }
  at::Tensor state;
  for (std::int64_t i = 0; i < len; ++i) {
    const auto t = order == TimeOrder::forward ? i : len - 1 - i;
    auto next = result.select(1, t);
    if (state.defined())
      at::addcmul_out(next, addend.select(1, t), factor.select(1, t), state);
    else
      next.copy_(addend.select(1, t));
    state = next;
  }
  return result;
}

/// The same tensor moved along the second axis by one place, with zeros at the open end.
at::Tensor moved(const at::Tensor& x, TimeOrder to) {
  const auto len = x.size(1);
  const auto zeros = at::zeros_like(x.narrow(1, 0, 1));
  return to == TimeOrder::forward ? at::cat({zeros, x.narrow(1, 0, len - 1)}, 1)
                                  : at::cat({x.narrow(1, 1, len - 1), zeros}, 1);
}

struct LinearRecurrence : torch::autograd::Function<LinearRecurrence> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& factor,
                            const at::Tensor& addend) {
    const auto factors = factor.contiguous();
    auto result = recur(factors, addend.contiguous(), TimeOrder::forward);
    context->save_for_backward({factors, result});
    return result;
  }

  // With g_t the gradient of c_t in all: g_t = (that of the result)_t + factor_{t+1} g_{t+1}.
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto& factor = saved[0];
    if (factor.numel() == 0) return {at::zeros_like(factor), at::zeros_like(factor)};
    const auto of_state =
        recur(moved(factor, TimeOrder::backward), gradients[0].contiguous(), TimeOrder::backward);
    return {of_state * moved(saved[1], TimeOrder::forward), of_state};
  }
};

}  // namespace

at::Tensor linear_recurrence(const at::Tensor& factor, const at::Tensor& addend) {
  return LinearRecurrence::apply(factor, addend);
}

}  // namespace dragoman
