#include "dragoman/tensor/dropout.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/bf16.h"
#include "dragoman/tensor/random_stream.h"

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

inline bool is_kept(std::int64_t index, const Mask& mask) {
  return hash(static_cast<std::uint32_t>(index), mask.low, mask.high) >= mask.threshold;
}

template <typename In, typename Out>
[[gnu::always_inline]] inline void keep_each(const In* x, Out* out, std::int64_t count,
                                             const Mask& mask, float scale) {
  for (std::int64_t i = 0; i < count; ++i)
    narrow(is_kept(i, mask) ? widened(x[i]) * scale : 0.0F, out[i]);
}

template <typename In>
[[gnu::always_inline]] inline void add_each(const float* residual, const In* x, float* out,
                                            std::int64_t count, const Mask& mask, float scale) {
  for (std::int64_t i = 0; i < count; ++i)
    out[i] = residual[i] + (is_kept(i, mask) ? widened(x[i]) * scale : 0.0F);
}

template <typename In, typename Out>
void keep_some(const In* x, Out* out, std::int64_t count, const Mask& mask, float scale) {
  run_on_this_cpu([=](auto)
                      __attribute__((always_inline)) { keep_each(x, out, count, mask, scale); });
}

template <typename In>
void add_some(const float* residual, const In* x, float* out, std::int64_t count, const Mask& mask,
              float scale) {
  run_on_this_cpu(
      [=](auto) __attribute__((always_inline)) { add_each(residual, x, out, count, mask, scale); });
}

const Bf16* bf16_of(const at::Tensor& x) { return static_cast<const Bf16*>(x.const_data_ptr()); }
Bf16* mutable_bf16_of(at::Tensor& x) { return static_cast<Bf16*>(x.mutable_data_ptr()); }

bool is_bf16(const at::Tensor& x) { return x.scalar_type() == torch::kBFloat16; }
bool is_float(const at::Tensor& x) { return x.scalar_type() == torch::kFloat32; }

float scale_of(double p) { return static_cast<float>(1.0 / (1.0 - p)); }

/// The same mask as a tensor of 0 and 1/(1-p): the reference form, for other types.
at::Tensor mask_tensor(const at::Tensor& like, std::uint64_t stream, double p) {
  const auto ones = torch::ones(like.sizes(), torch::kFloat32);
  auto mask = torch::empty_like(ones);
  keep_some(ones.const_data_ptr<float>(), mask.mutable_data_ptr<float>(), ones.numel(),
            Mask(stream, p), 1.0F);
  return mask.to(like.scalar_type()) * (1.0 / (1.0 - p));
}

/// The same hash, by tensors: products of 32 bits wrap around in 64, and only their low half
/// counts.
at::Tensor kept_on_device(const at::Tensor& like, const Mask& mask) {
  constexpr std::int64_t low_half = 0xFFFFFFFF;
  auto x = torch::arange(like.numel(), like.options().dtype(torch::kInt64));
  x = (x * 0x9E3779B1 + static_cast<std::int64_t>(mask.low)).bitwise_and(low_half);
  x = (x.bitwise_xor(x.bitwise_right_shift(16)) * 0x7FEB352D).bitwise_and(low_half);
  x = x.bitwise_xor(x.bitwise_right_shift(15)).bitwise_xor(static_cast<std::int64_t>(mask.high));
  x = (x * static_cast<std::int64_t>(0x846CA68B)).bitwise_and(low_half);
  x = x.bitwise_xor(x.bitwise_right_shift(16));
  return (x >= static_cast<std::int64_t>(mask.threshold)).view(like.sizes());
}

/// \param type of the result
at::Tensor drop(const at::Tensor& x, std::uint64_t stream, double p, at::ScalarType type) {
  const auto input = x.contiguous();
  auto out = torch::empty(input.sizes(), input.options().dtype(type));
  const auto count = input.numel();
  const Mask mask(stream, p);
  if (is_float(x) && is_float(out))
    keep_some(input.const_data_ptr<float>(), out.mutable_data_ptr<float>(), count, mask,
              scale_of(p));
  else if (is_float(x) && is_bf16(out))
    keep_some(input.const_data_ptr<float>(), mutable_bf16_of(out), count, mask, scale_of(p));
  else if (is_bf16(x) && is_bf16(out))
    keep_some(bf16_of(input), mutable_bf16_of(out), count, mask, scale_of(p));
  else
    return (x * mask_tensor(x, stream, p)).to(type);
  return out;
}

at::Tensor drop(const at::Tensor& x, std::uint64_t stream, double p) {
  return drop(x, stream, p, x.scalar_type());
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
    if (!is_float(residual) || !(is_float(x) || is_bf16(x))) return residual + drop(x, key, p);
    const auto base = residual.contiguous();
    const auto input = x.contiguous();
    auto out = torch::empty_like(base);
    const auto add = [&](const auto* change) {
      add_some(base.const_data_ptr<float>(), change, out.mutable_data_ptr<float>(), input.numel(),
               Mask(key, p), scale_of(p));
    };
    if (is_bf16(x))
      add(bf16_of(input));
    else
      add(input.const_data_ptr<float>());
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto stream = static_cast<std::uint64_t>(context->saved_data["stream"].toInt());
    const auto type = static_cast<at::ScalarType>(context->saved_data["type"].toInt());
    const auto through = drop(gradients[0], stream, context->saved_data["p"].toDouble(), type);
    return {gradients[0], through, {}, {}};
  }
};

}  // namespace

at::Tensor dropout(const at::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return x;
  if (!x.is_cpu()) return torch::dropout(x, p, true);
  return Dropout::apply(x, p, static_cast<std::int64_t>(next_random_stream()));
}

at::Tensor dropout_factors(const at::Tensor& like, double p) {
  const auto stream = next_random_stream();
  if (like.is_cpu()) return drop(at::ones(like.sizes(), like.options()), stream, p);
  return kept_on_device(like, Mask(stream, p)).to(like.scalar_type()) * (1.0 / (1.0 - p));
}

at::Tensor add_dropout(const at::Tensor& residual, const at::Tensor& x, double p, bool training) {
  if (!training || p == 0.0) return residual + x;
  if (!x.is_cpu()) return residual + torch::dropout(x, p, true);
  return AddDropout::apply(residual, x, p, static_cast<std::int64_t>(next_random_stream()));
}

}  // namespace dragoman
