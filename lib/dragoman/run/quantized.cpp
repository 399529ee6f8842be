#include "dragoman/run/quantized.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

constexpr double largest_int8 = 127.0;

bool is_matrix(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kFloat && tensor.dim() == 2 && tensor.numel() > 0;
}

void add_int8(NamedTensors& tensors, const std::string& name, const at::Tensor& matrix) {
  const auto scale = matrix.abs().amax(1).div(largest_int8);
  const auto divisor = scale.masked_fill(scale.eq(0.0), 1.0).unsqueeze(1);
  tensors[name] = matrix.div(divisor).round().to(at::kChar);
  tensors[name + row_scale_ending] = scale;
}

void expect_scales(const std::string& name, const at::Tensor& matrix, const NamedTensors& tensors,
                   const std::string& place) {
  const auto scale = tensors.find(name + row_scale_ending);
  if (matrix.dim() == 2 && scale != tensors.end() && scale->second.scalar_type() == at::kFloat &&
      scale->second.dim() == 1 && scale->second.size(0) == matrix.size(0))
    return;
  throw FormatError(concat(place, ": tensor ", printable(name),
                           ": is int8 without a float32 scale for each row; ",
                           "convert the run again with 'dragoman convert --quantize'"));
}

}  // namespace

NamedTensors quantized(const NamedTensors& tensors, WeightType type) {
  NamedTensors made;
  for (const auto& [name, tensor] : tensors) {
    if (type == WeightType::float32 || !is_matrix(tensor))
      made[name] = tensor;
    else if (type == WeightType::bf16)
      made[name] = tensor.to(at::kBFloat16);
    else
      add_int8(made, name, tensor);
  }
  return made;
}

NamedTensors dequantized(NamedTensors tensors, const std::string& place) {
  std::vector<std::string> scales;
  for (auto& [name, tensor] : tensors) {
    if (tensor.scalar_type() == at::kBFloat16) tensor = tensor.to(at::kFloat);
    if (tensor.scalar_type() != at::kChar) continue;
    expect_scales(name, tensor, tensors, place);
    scales.push_back(name + row_scale_ending);
    tensor = tensor.to(at::kFloat).mul_(tensors.at(scales.back()).unsqueeze(1));
  }
  for (const auto& name : scales) tensors.erase(name);
  return tensors;
}

}  // namespace dragoman
