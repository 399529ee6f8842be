#include "dragoman/tensor/initialisation.h"

#include <torch/nn/init.h>
#include <torch/types.h>

#include <cmath>

namespace dragoman {

namespace {

thread_local bool left_out = false;

}  // namespace

SkipInitialisation::SkipInitialisation() : before_(left_out) { left_out = true; }
SkipInitialisation::~SkipInitialisation() { left_out = before_; }

at::Tensor xavier_uniform(std::int64_t outputs, std::int64_t inputs, std::int64_t stacked) {
  if (left_out) return torch::empty({outputs, inputs});
  const double bound = std::sqrt(6.0 / static_cast<double>(inputs + stacked * outputs));
  return torch::nn::init::uniform_(torch::empty({outputs, inputs}), -bound, bound);
}

at::Tensor mixture_matrix(std::int64_t rank, std::int64_t max_length) {
  if (left_out) return torch::empty({rank, max_length});
  const double deviation = 1.0 / std::sqrt(static_cast<double>(max_length));
  return torch::randn({rank, max_length}) * deviation;
}

at::Tensor embedding_matrix(std::int64_t rows, std::int64_t d_model) {
  if (left_out) return torch::empty({rows, d_model});
  const double deviation = 1.0 / std::sqrt(static_cast<double>(d_model));
  return torch::nn::init::normal_(torch::empty({rows, d_model}), 0.0, deviation);
}

}  // namespace dragoman
