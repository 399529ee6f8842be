#include "dragoman/checkpoint/parameters.h"

#include "dragoman/checkpoint/quantized.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <torch/types.h>

namespace dragoman {

namespace {

/// The names of `tensors` that `others` lacks, for a message; empty if there are none.
std::string names_lacking(const NamedTensors& tensors, const NamedTensors& others) {
  constexpr std::int64_t listed_at_most = 8;
  std::string names;
  std::int64_t count = 0;
  for (const auto& [name, tensor] : tensors) {
    if (others.contains(name) || ++count > listed_at_most) continue;
    names += concat(names.empty() ? "" : ", ", "tensor ", printable(name));
  }
  if (count > listed_at_most) names += concat(" and ", count - listed_at_most, " more");
  return names;
}

void expect_same_names(const NamedTensors& wanted, const NamedTensors& found,
                       const std::string& place) {
  const auto missing = names_lacking(wanted, found);
  const auto unknown = names_lacking(found, wanted);
  if (missing.empty() && unknown.empty()) return;
  std::string message = place + ": is not of this model";
  if (!missing.empty()) message += "; missing: " + missing;
  if (!unknown.empty()) message += "; unknown: " + unknown;
  throw FormatError(message + "; use the config.json it was trained with");
}

void expect_same_form(const std::string& name, const at::Tensor& wanted, const at::Tensor& found,
                      const std::string& place) {
  if (wanted.sizes() == found.sizes() && wanted.scalar_type() == found.scalar_type()) return;
  throw FormatError(concat(place, ": tensor ", name, ": is ", found.scalar_type(), ' ',
                           found.sizes(), ", the model has ", wanted.scalar_type(), ' ',
                           wanted.sizes(), "; use the config.json it was trained with"));
}

}  // namespace

NamedTensors parameters_of(const torch::nn::Module& module) {
  NamedTensors tensors;
  for (const auto& item : module.named_parameters()) tensors[item.key()] = item.value().detach();
  for (const auto& item : module.named_buffers()) tensors[item.key()] = item.value().detach();
  return tensors;
}

void expect_finite(const NamedTensors& tensors, const std::string& place) {
  for (const auto& [name, tensor] : tensors)
    if (tensor.is_floating_point() && !torch::isfinite(tensor).all().item<bool>())
      throw FormatError(concat(place, ": tensor ", name,
                               ": holds NaN or infinity; use a checkpoint from before that"));
}

void load_parameters(torch::nn::Module& module, const NamedTensors& tensors,
                     const std::string& place) {
  const auto parameters = parameters_of(module);
  expect_same_names(parameters, tensors, place);
  for (const auto& [name, parameter] : parameters)
    expect_same_form(name, parameter, tensors.at(name), place);
  expect_finite(tensors, place);
  const torch::NoGradGuard no_grad;
  for (const auto& [name, parameter] : parameters) parameter.copy_(tensors.at(name));
}

void load_parameters(torch::nn::Module& module, const std::filesystem::path& path) {
  const bool fewer_bytes = SafetensorsFile(path).metadata().contains(weight_type_key);
  auto tensors = load_tensors(path);
  if (fewer_bytes) tensors = dequantized(std::move(tensors), path.string());
  load_parameters(module, tensors, path.string());
}

}  // namespace dragoman
