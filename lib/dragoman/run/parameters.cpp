#include "dragoman/run/parameters.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/run/quantized.h"

#include <torch/types.h>

#include <cmath>

namespace dragoman {

namespace {

/// The names of `tensors` that `others` lacks, for a message; empty if there are none.
std::string names_lacking(const NamedTensors& tensors, const NamedTensors& others) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors)
    if (!others.contains(name)) names.push_back(name);
  return listed_tensors(names);
}

void expect_same_names(const NamedTensors& wanted, const NamedTensors& found,
                       const std::string& place, const std::string& remedy) {
  const auto missing = names_lacking(wanted, found);
  const auto unknown = names_lacking(found, wanted);
  if (missing.empty() && unknown.empty()) return;
  std::string message = place + ": does not match this model";
  if (!missing.empty()) message += "; missing: " + missing;
  if (!unknown.empty()) message += "; unknown: " + unknown;
  throw FormatError(concat(message, "; ", remedy));
}

/// float32 and float64 are converted into each other.
bool is_same_form(const at::Tensor& a, const at::Tensor& b) {
  const auto type = [](const at::Tensor& x) {
    return x.scalar_type() == at::kDouble ? at::kFloat : x.scalar_type();
  };
  return a.sizes() == b.sizes() && type(a) == type(b);
}

void expect_same_form(const std::string& name, const at::Tensor& wanted, const at::Tensor& found,
                      const std::string& place, const std::string& remedy) {
  if (is_same_form(wanted, found)) return;
  throw FormatError(concat(place, ": tensor ", name, ": is ", found.scalar_type(), ' ',
                           found.sizes(), ", the model has ", wanted.scalar_type(), ' ',
                           wanted.sizes(), "; ", remedy));
}

/// Without a copy of the tensor: both ends are NaN if any number is.
bool is_finite(const at::Tensor& tensor) {
  if (tensor.numel() == 0 || !tensor.is_floating_point()) return true;
  // LibTorch has no order for numbers of 8 bits.
  const bool is_small = tensor.element_size() == 1;
  const auto [least, most] = at::aminmax(is_small ? tensor.to(at::kFloat) : tensor);
  return std::isfinite(least.item<double>()) && std::isfinite(most.item<double>());
}

void expect_parameters(const NamedTensors& wanted, const NamedTensors& found,
                       const std::string& place, const std::string& remedy = own_remedy) {
  expect_same_names(wanted, found, place, remedy);
  for (const auto& [name, parameter] : wanted)
    expect_same_form(name, parameter, found.at(name), place, remedy);
  expect_finite(found, place);
}

/// Tensors of a safetensors file, dequantized if necessary.
NamedTensors tensors_of(const SafetensorsFile& file, const std::string& place) {
  auto tensors = load_tensors(file);
  const bool fewer_bytes = file.metadata().contains(weight_type_key);
  return fewer_bytes ? dequantized(std::move(tensors), place) : tensors;
}

NamedTensors tensors_of(const std::filesystem::path& path) {
  return tensors_of(SafetensorsFile(path), path.string());
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
    if (tensor.is_floating_point() && !is_finite(tensor))
      throw FormatError(
          concat(place, ": tensor ", name, ": holds NaN or infinity; use an earlier checkpoint"));
}

void expect_finite_weights(const at::Tensor& weights, const std::string& place,
                           const std::string& name) {
  if (!is_finite(weights))
    throw FormatError(concat(place, ": tensor ", name, ": holds NaN or infinity; copy it again"));
}

void load_parameters(torch::nn::Module& module, const NamedTensors& tensors,
                     const std::string& place) {
  const auto parameters = parameters_of(module);
  expect_parameters(parameters, tensors, place);
  const torch::NoGradGuard no_grad;
  for (const auto& [name, parameter] : parameters) parameter.copy_(tensors.at(name));
}

void load_parameters(torch::nn::Module& module, const std::filesystem::path& path) {
  load_parameters(module, tensors_of(path), path.string());
}

void adopt_parameters(torch::nn::Module& module, const NamedTensors& tensors,
                      const std::string& place, const std::string& remedy) {
  expect_parameters(parameters_of(module), tensors, place, remedy);
  const auto adopt = [&](const auto& items) {
    for (auto& item : items)
      item.value().set_data(tensors.at(item.key()).to(item.value().scalar_type()));
  };
  adopt(module.named_parameters());
  adopt(module.named_buffers());
}

void adopt_parameters(torch::nn::Module& module, const SafetensorsFile& file,
                      const std::string& place) {
  adopt_parameters(module, tensors_of(file, place), place);
}

std::string PartialLoad::text() const {
  auto message = concat(taken.size(), " of ", taken.size() + kept.size(), " tensors");
  if (!kept.empty()) message += "; initialised: " + listed_tensors(kept);
  if (!left.empty()) message += "; not used: " + listed_tensors(left);
  return message;
}

PartialLoad load_matching_parameters(torch::nn::Module& module, const std::filesystem::path& path) {
  const auto found = tensors_of(path);
  const auto parameters = parameters_of(module);
  PartialLoad load;
  NamedTensors matching;
  for (const auto& [name, parameter] : parameters) {
    const auto same = found.find(name);
    const bool takes = same != found.end() && is_same_form(parameter, same->second);
    (takes ? load.taken : load.kept).push_back(name);
    if (takes) matching.emplace(name, same->second);
  }
  for (const auto& [name, tensor] : found)
    if (!matching.contains(name)) load.left.push_back(name);
  if (matching.empty())
    throw FormatError(
        path.string() +
        ": has no tensor with a name and shape of this model; give a run of a similar model");
  expect_finite(matching, path.string());
  const torch::NoGradGuard no_grad;
  for (const auto& [name, tensor] : matching) parameters.at(name).copy_(tensor);
  return load;
}

}  // namespace dragoman
