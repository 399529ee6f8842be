#include "dragoman/tensor/shape.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>
#include <string>

namespace dragoman {

namespace {

bool has_shape(at::IntArrayRef sizes, std::initializer_list<Axis> expected) {
  return std::equal(
      sizes.begin(), sizes.end(), expected.begin(), expected.end(),
      [](std::int64_t size, const Axis& axis) { return axis.free() || axis.size() == size; });
}

std::string text(std::initializer_list<Axis> expected) {
  std::string result = "[";
  for (const auto& axis : expected) {
    if (result.size() > 1) result += ", ";
    result += axis.free() ? std::string(axis.name()) : std::to_string(axis.size());
  }
  return result + "]";
}

}  // namespace

void expect_shape(std::string_view name, const at::Tensor& tensor,
                  std::initializer_list<Axis> expected) {
  if (!tensor.defined())
    throw ContractError(concat(name, " is undefined, expected ", text(expected)));
  if (!has_shape(tensor.sizes(), expected))
    throw ContractError(concat(name, " is ", tensor.sizes(), ", expected ", text(expected)));
}

}  // namespace dragoman
