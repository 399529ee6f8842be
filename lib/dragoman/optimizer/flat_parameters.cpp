#include "dragoman/optimizer/flat_parameters.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <functional>
#include <numeric>

namespace dragoman {

namespace {

/// Alignment of parameters in elements: 64 bytes in their bf16 copies.
constexpr std::int64_t alignment = 32;

std::int64_t elements(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

FlatParameters::FlatParameters(torch::nn::Module& module) {
  std::int64_t size = 0;
  const auto parameters = module.named_parameters();
  if (parameters.is_empty()) throw ContractError("FlatParameters: a module without parameters");
  if (!module.buffers().empty())
    throw ContractError("FlatParameters: a module with buffers, which replicas would not share");
  for (const auto& item : parameters) {
    places_.push_back({item.key(), size, item.value().sizes().vec()});
    size += (item.value().numel() + alignment - 1) / alignment * alignment;
  }
  const auto options = parameters.begin()->value().options().requires_grad(false);
  values_ = torch::zeros({size}, options);
  const torch::NoGradGuard no_gradients;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    auto parameter = parameters[i].value();
    if (parameter.scalar_type() != values_.scalar_type() || parameter.device() != values_.device())
      throw ContractError(
          concat("FlatParameters: ", places_[i].name, " has another type or device"));
    view(values_, places_[i]).copy_(parameter);
    parameter.set_data(view(values_, places_[i]));
  }
}

at::Tensor FlatParameters::attach(torch::nn::Module& replica) const {
  const torch::NoGradGuard no_gradients;
  auto gradients = zeros();
  const auto parameters = replica.named_parameters();
  for (const auto& place : places_) {
    auto parameter = parameters[place.name];
    parameter.set_data(view(values_, place));
    parameter.mutable_grad() = view(gradients, place);
  }
  return gradients;
}

std::map<std::string, at::Tensor> FlatParameters::named(const at::Tensor& flat) const {
  std::map<std::string, at::Tensor> views;
  for (const auto& place : places_) views.emplace(place.name, view(flat, place));
  return views;
}

std::vector<ParameterRange> FlatParameters::ranges() const {
  std::vector<ParameterRange> found;
  for (const auto& place : places_) found.push_back({place.offset, elements(place.shape)});
  return found;
}

at::Tensor FlatParameters::zeros() const { return torch::zeros_like(values_); }

at::Tensor FlatParameters::view(const at::Tensor& flat, const Place& place) const {
  return flat.narrow(0, place.offset, elements(place.shape)).view(place.shape);
}

}  // namespace dragoman
