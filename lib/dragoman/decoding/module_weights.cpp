#include "dragoman/decoding/module_weights.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/kernels/packed_matrix.h"

#include <ATen/ATen.h>

namespace dragoman {

ModuleWeights::ModuleWeights(const Transformer& model) {
  for (const auto& item : model->named_parameters())
    parameters_[item.key()] = item.value().detach();
}

std::vector<float> ModuleWeights::read(const std::string& name,
                                       const std::vector<std::int64_t>& shape) {
  const auto found = parameters_.find(name);
  if (found == parameters_.end() || found->second.sizes() != at::IntArrayRef(shape))
    throw ContractError(concat("inference: the model has no ", name, " of the expected shape"));
  read_.insert(name);
  const auto values = found->second.to(at::kCPU, at::kFloat).contiguous();
  const auto* first = values.const_data_ptr<float>();
  expect_finite_weights({first, static_cast<std::size_t>(values.numel())});
  return {first, first + values.numel()};
}

void ModuleWeights::expect_all_read() const {
  for (const auto& [name, parameter] : parameters_)
    if (!read_.contains(name))
      throw ContractError(concat("inference: ", name, " of the model was not read"));
}

}  // namespace dragoman
