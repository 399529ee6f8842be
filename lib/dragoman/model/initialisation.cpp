#include "dragoman/model/initialisation.h"

#include <torch/nn/init.h>
#include <torch/types.h>

#include <cmath>

namespace dragoman {

at::Tensor xavier_uniform(std::int64_t outputs, std::int64_t inputs) {
  return torch::nn::init::xavier_uniform_(torch::empty({outputs, inputs}));
}

at::Tensor embedding_matrix(std::int64_t rows, std::int64_t d_model) {
  const double deviation = 1.0 / std::sqrt(static_cast<double>(d_model));
  return torch::nn::init::normal_(torch::empty({rows, d_model}), 0.0, deviation);
}

}  // namespace dragoman
