#pragma once

#include "dragoman/distributed/gradient_reducer.h"

#include <torch/nn.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dragoman {

/// All parameters of a module in one vector, so that summing gradients, clipping, Adam and
/// averaging are single passes, and several replicas of the module share the values.
class FlatParameters {
 public:
  /// Moves the parameters of `module` into one new vector; they become views of it.
  /// \throws ContractError if parameters differ in type or device
  explicit FlatParameters(torch::nn::Module& module);

  /// Makes the parameters of `replica` (a module of the same shape) views of the same vector, and
  /// its gradients views of a separate vector.
  /// \return that gradient vector, [size], zero
  at::Tensor attach(torch::nn::Module& replica) const;

  /// [size]: the values themselves, with zero padding between parameters for alignment.
  const at::Tensor& values() const { return values_; }
  at::Tensor& values() { return values_; }

  /// Views of a vector like `values()`, by parameter name.
  std::map<std::string, at::Tensor> named(const at::Tensor& flat) const;

  /// The offset and size of each parameter in `values()`, in the model's order.
  std::vector<ParameterRange> ranges() const;

  /// A zero vector like `values()`.
  at::Tensor zeros() const;

 private:
  struct Place {
    std::string name;
    std::int64_t offset;
    std::vector<std::int64_t> shape;
  };
  at::Tensor view(const at::Tensor& flat, const Place& place) const;

  std::vector<Place> places_;
  at::Tensor values_;
};

}  // namespace dragoman
