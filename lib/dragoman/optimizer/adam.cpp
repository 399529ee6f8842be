#include "dragoman/optimizer/adam.h"

#include "dragoman/core/simd.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

[[gnu::always_inline]] inline double sum_squares(const float* numbers, std::int64_t count) {
  constexpr std::int64_t lanes = 16;
  double sums[lanes] = {};
  const auto whole = count / lanes * lanes;
  for (std::int64_t i = 0; i < whole; i += lanes)
    for (std::int64_t l = 0; l < lanes; ++l) {
      const double x = numbers[i + l];
      sums[l] += x * x;
    }
  double total = 0.0;
  for (const double sum : sums) total += sum;
  for (auto i = whole; i < count; ++i)
    total += static_cast<double>(numbers[i]) * static_cast<double>(numbers[i]);
  return total;
}

double sum_of_squares(const float* numbers, std::int64_t count) {
  double sum = 0.0;
  run_on_this_cpu([=, &sum](auto)
                      __attribute__((always_inline)) { sum = sum_squares(numbers, count); });
  return sum;
}

}  // namespace

Adam::Adam(at::Tensor values, const TrainOptions& options)
    : values_(std::move(values)),
      first_(torch::zeros_like(values_)),
      second_(torch::zeros_like(values_)),
      beta1_(options.beta1),
      beta2_(options.beta2),
      eps_(options.adam_eps),
      decay_(options.weight_decay) {}

void Adam::step(at::Tensor& gradient, double scale, double rate, WorkerPool& pool) {
  ++steps_;
  pool.parallel_for(values_.size(0), [&](std::int64_t begin, std::int64_t end) {
    const auto part = [&](const at::Tensor& flat) { return flat.slice(0, begin, end); };
    if (scales_first()) part(gradient).mul_(scale);
    const bool divides = scale != 1.0 && !scales_first();
    fused_step(part, gradient, rate, divides ? std::optional(scalar(1.0 / scale)) : std::nullopt,
               /*failed=*/std::nullopt);
  });
}

void Adam::step_unless(const at::Tensor& failed, at::Tensor& gradient, const at::Tensor& divisor,
                       double rate) {
  ++steps_;
  if (scales_first()) gradient.div_(divisor);
  fused_step([](const at::Tensor& flat) { return flat; }, gradient, rate,
             scales_first() ? std::nullopt : std::optional(divisor.to(torch::kFloat32)), failed);
}

/// LibTorch's fused Adam takes a scale in float32 alone.
bool Adam::scales_first() const { return values_.scalar_type() == torch::kFloat64; }

at::Tensor Adam::scalar(double value) const {
  return torch::full({}, value, values_.options().dtype(torch::kFloat32));
}

/// LibTorch's fused Adam.
/// \param part selects the same elements of each vector
/// \param failed as for `step_unless`
void Adam::fused_step(const std::function<at::Tensor(const at::Tensor&)>& part,
                      const at::Tensor& gradient, double rate,
                      const std::optional<at::Tensor>& divisor,
                      const std::optional<at::Tensor>& failed) {
  at::_fused_adamw_({part(values_)}, {part(gradient)}, {part(first_)}, {part(second_)}, {},
                    {scalar(static_cast<double>(steps_))}, rate, beta1_, beta2_, decay_, eps_,
                    /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/divisor,
                    /*found_inf=*/failed);
}

at::Tensor norm_on_device(const at::Tensor& flat) {
  constexpr std::int64_t part = std::int64_t{1} << 24;  // LibTorch copies it to float64
  std::vector<at::Tensor> norms;
  for (const auto& some : flat.split(part)) norms.push_back(some.norm(2, torch::kFloat64));
  return at::stack(norms).norm();
}

double norm_of(const at::Tensor& flat, WorkerPool& pool) {
  if (!flat.is_cpu() || flat.scalar_type() != torch::kFloat32)
    return norm_on_device(flat).item<double>();
  constexpr std::int64_t part = std::int64_t{1} << 16;
  const auto size = flat.size(0);
  const auto* numbers = flat.const_data_ptr<float>();
  std::vector<double> squares(static_cast<std::size_t>((size + part - 1) / part));
  pool.run([&](std::int64_t worker) {
    for (auto i = worker; i < std::ssize(squares); i += pool.size())
      squares[static_cast<std::size_t>(i)] =
          sum_of_squares(numbers + i * part, std::min(part, size - i * part));
  });
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0));
}

double clip_factor(double norm, double max_norm) {
  return max_norm > 0.0 && norm > max_norm ? max_norm / (norm + clip_epsilon) : 1.0;
}

}  // namespace dragoman
