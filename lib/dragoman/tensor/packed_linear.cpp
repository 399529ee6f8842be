#include "dragoman/tensor/packed_linear.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/kernels/packed_kernel.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <span>

namespace dragoman {

namespace {

/// \param x contiguous
std::span<const float> packed_values(const at::Tensor& x) {
  if (!x.defined()) return {};
  if (!x.is_cpu())
    throw ContractError(concat("packed product: a tensor of ", x.device().str(), ", not the CPU"));
  return {x.const_data_ptr<float>(), static_cast<std::size_t>(x.numel())};
}

at::Tensor contiguous(const at::Tensor& x) { return x.defined() ? x.detach().contiguous() : x; }

PackedMatrix packed(const at::Tensor& weight, const at::Tensor& bias, WeightType type) {
  return {packed_values(weight), packed_values(bias), weight.size(0), weight.size(1), type};
}

}  // namespace

PackedLinear::PackedLinear(const at::Tensor& weight, const at::Tensor& bias, WeightType type)
    : matrix_(packed(contiguous(weight), contiguous(bias), type)) {}

at::Tensor PackedLinear::multiply(const at::Tensor& x) const {
  auto shape = x.sizes().vec();
  if (shape.empty() || shape.back() != matrix_.inputs())
    throw ContractError(concat("packed product: x has ", shape.empty() ? 0 : shape.back(),
                               " features, not ", matrix_.inputs()));
  const auto input = x.reshape({-1, matrix_.inputs()}).contiguous();
  shape.back() = matrix_.outputs();
  const auto result = at::empty(shape, x.options());
  thread_local PackedRows rows;
  rows.set(packed_values(input).data(), input.size(0), input.size(1), matrix_.type());
  const ProductResult into{.c = result.mutable_data_ptr<float>()};
  // Of this thread: a worker of `parallel_for` has rows of its own.
  const PackedRows& of_caller = rows;
  at::parallel_for(0, matrix_.panels(), matrix_.grain(rows),
                   [&](std::int64_t first, std::int64_t last) {
                     matrix_.multiply(of_caller, into, first, last);
                   });
  return result;
}

}  // namespace dragoman
