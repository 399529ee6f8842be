#include "dragoman/tensor/dropout.h"

#include "dragoman/core/simd.h"
#include "dragoman/tensor/random_stream.h"

#include <ATen/Dispatch.h>
#include <torch/nn.h>

namespace dragoman {

namespace {

/// Which elements are kept: those whose hash of (stream, index) reaches `threshold`.
struct Mask {
  std::uint32_t low;
  std::uint32_t high;
  std::uint32_t threshold;

  Mask(std::uint64_t stream, double p)
      : low(static_cast<std::uint32_t>(stream)),
        high(static_cast<std::uint32_t>(stream >> 32)),
        threshold(static_cast<std::uint32_t>(p * 4294967296.0)) {}
};

inline std::uint32_t hash(std::uint32_t index, std::uint32_t low, std::uint32_t high) {
  std::uint32_t x = index * 0x9E3779B1U + low;
  x = (x ^ (x >> 16)) * 0x7FEB352DU;
  x = (x ^ (x >> 15) ^ high) * 0x846CA68BU;
  return x ^ (x >> 16);
}

DRAGOMAN_FOR_EACH_CPU
void keep_some(const float* x, float* out, std::int64_t count, Mask mask, float scale) {
  for (std::int64_t i = 0; i < count; ++i) {
    const bool kept = hash(static_cast<std::uint32_t>(i), mask.low, mask.high) >= mask.threshold;
    out[i] = kept ? x[i] * scale : 0.0F;
  }
}

DRAGOMAN_FOR_EACH_CPU
void add_some(const float* residual, const float* x, float* out, std::int64_t count, Mask mask,
              float scale) {
  for (std::int64_t i = 0; i < count; ++i) {
    const bool kept = hash(static_cast<std::uint32_t>(i), mask.low, mask.high) >= mask.threshold;
    out[i] = residual[i] + (kept ? x[i] * scale : 0.0F);
  }
}

/// The same mask as a tensor of 0 and 1/(1-p): the plain form, for other types than float32.
at::Tensor mask_tensor(const at::Tensor& like, std::uint64_t stream, double p) {
  const auto ones = torch::ones(like.sizes(), torch::kFloat32);
  auto mask = torch::empty_like(ones);
  keep_some(ones.const_data_ptr<float>(), mask.mutable_data_ptr<float>(), ones.numel(),
            Mask(stream, p), 1.0F);
  return mask.to(like.scalar_type()) * (1.0 / (1.0 - p));
}

at::Tensor drop(const at::Tensor& x, std::uint64_t stream, double p) {
  if (x.scalar_type() != torch::kFloat32) return x * mask_tensor(x, stream, p);
  const auto input = x.contiguous();
  auto out = torch::empty_like(input);
  keep_some(input.const_data_ptr<float>(), out.mutable_data_ptr<float>(), input.numel(),
            Mask(stream, p), static_cast<float>(1.0 / (1.0 - p)));
  return out;
}

class Dropout : public torch::autograd::Function<Dropout> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& x,
                            double p, std::int64_t stream) {
    context->saved_data["p"] = p;
    context->saved_data["stream"] = stream;
    return drop(x, static_cast<std::uint64_t>(stream), p);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto stream = static_cast<std::uint64_t>(context->saved_data["stream"].toInt());
    return {drop(gradients[0], stream, context->saved_data["p"].toDouble()), {}, {}};
  }
};

class AddDropout : public torch::autograd::Function<AddDropout> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& residual,
                            const at::Tensor& x, double p, std::int64_t stream) {
    context->saved_data["p"] = p;
    context->saved_data["stream"] = stream;
    context->saved_data["type"] = static_cast<std::int64_t>(x.scalar_type());
    const auto key = static_cast<std::uint64_t>(stream);
    if (x.scalar_type() != torch::kFloat32 || residual.scalar_type() != torch::kFloat32)
      return residual + drop(x, key, p);
    const auto base = residual.contiguous();
    const auto input = x.contiguous();
    auto out = torch::empty_like(input);
    add_some(base.const_data_ptr<float>(), input.const_data_ptr<float>(),
             out.mutable_data_ptr<float>(), input.numel(), Mask(key, p),
             static_cast<float>(1.0 / (1.0 - p)));
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto stream = static_cast<std::uint64_t>(context->saved_data["stream"].toInt());
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    const auto through = drop(gradients[0], stream, context->saved_data["p"].toDouble());
    return {gradients[0], through.to(type), {}, {}};
  }
};

}  // namespace

at::Tensor dropout(const at::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return x;
  if (!x.is_cpu()) return torch::dropout(x, p, true);
  return Dropout::apply(x, p, static_cast<std::int64_t>(next_random_stream()));
}

at::Tensor add_dropout(const at::Tensor& residual, const at::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return residual + x;
  if (!x.is_cpu()) return residual + torch::dropout(x, p, true);
  return AddDropout::apply(residual, x, p, static_cast<std::int64_t>(next_random_stream()));
}

}  // namespace dragoman
