#include "dragoman/inference/file_weights.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/kernels/bf16.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace dragoman {

namespace {

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += concat(i == 0 ? "" : ", ", shape[i]);
  return text + ']';
}

template <typename Number>
std::vector<Number> numbers_of(const TensorView& tensor) {
  std::vector<Number> numbers(tensor.bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), tensor.bytes.data(), tensor.bytes.size());
  return numbers;
}

}  // namespace

std::string listed_tensors(const std::vector<std::string>& names) {
  constexpr std::size_t listed_at_most = 8;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), listed_at_most); ++i)
    list += concat(i == 0 ? "" : ", ", "tensor ", printable(names[i]));
  if (names.size() > listed_at_most)
    list += concat(" and ", names.size() - listed_at_most, " more");
  return list;
}

FileWeights::FileWeights(const std::filesystem::path& path)
    : FileWeights(path.string(), std::make_shared<const SafetensorsFile>(path)) {}

FileWeights::FileWeights(std::string place, std::shared_ptr<const SafetensorsFile> file)
    : place_(std::move(place)),
      file_(std::move(file)),
      has_fewer_bytes_(file_->metadata().contains(weight_type_key)) {}

std::vector<float> FileWeights::read(const std::string& name,
                                     const std::vector<std::int64_t>& shape) {
  const auto* tensor = file_->find(name);
  read_.insert(name);
  if (tensor == nullptr) {
    missing_.push_back(name);
    return {};
  }
  if (tensor->dtype == DType::i8) read_.insert(name + row_scale_ending);
  auto fault = fault_of(*tensor, shape);
  std::vector<float> values;
  if (fault.empty()) {
    values = values_of(*tensor);
    if (!std::ranges::all_of(values, [](float value) { return std::isfinite(value); }))
      fault = "holds NaN or infinity; use an earlier checkpoint";
  }
  if (fault.empty()) return values;
  if (first_fault_.empty())
    first_fault_ = concat(place_, ": tensor ", printable(name), ": ", fault);
  return {};
}

std::string FileWeights::fault_of(const TensorView& tensor,
                                  const std::vector<std::int64_t>& shape) const {
  const bool has_known_type =
      tensor.dtype == DType::f32 || tensor.dtype == DType::f64 ||
      (has_fewer_bytes_ && (tensor.dtype == DType::bf16 || tensor.dtype == DType::i8));
  if (!has_known_type)
    return concat("is ", name_of(tensor.dtype), ", expected F32 or, if the file's metadata has ",
                  weight_type_key, ", BF16 or I8; convert the run again with 'dragoman convert'");
  if (tensor.shape != shape)
    return concat("is ", shape_text(tensor.shape), ", the model has ", shape_text(shape),
                  "; use the config.json it was trained with");
  if (tensor.dtype != DType::i8) return {};
  const auto* scales = file_->find(tensor.name + row_scale_ending);
  if (shape.size() == 2 && scales != nullptr && scales->dtype == DType::f32 &&
      scales->shape == std::vector<std::int64_t>{shape[0]})
    return {};
  return "is int8 without a float32 scale for each row; convert the run again with 'dragoman "
         "convert --quantize'";
}

std::vector<float> FileWeights::values_of(const TensorView& tensor) {
  if (tensor.dtype == DType::f32) return numbers_of<float>(tensor);
  std::vector<float> values;
  if (tensor.dtype == DType::f64) {
    for (const auto value : numbers_of<double>(tensor)) values.push_back(static_cast<float>(value));
    return values;
  }
  if (tensor.dtype == DType::bf16) {
    for (const auto value : numbers_of<Bf16>(tensor)) values.push_back(widened(value));
    return values;
  }
  const auto scales_name = tensor.name + row_scale_ending;
  const auto scales = numbers_of<float>(*file_->find(scales_name));
  const auto columns = static_cast<std::size_t>(tensor.shape[1]);
  for (const auto value : numbers_of<std::int8_t>(tensor))
    values.push_back(static_cast<float>(value) * scales[values.size() / columns]);
  return values;
}

void FileWeights::expect_all_read() const {
  std::vector<std::string> unknown;
  for (const auto& tensor : file_->tensors())
    if (!read_.contains(tensor.name)) unknown.push_back(tensor.name);
  if (!missing_.empty() || !unknown.empty()) {
    auto message = place_ + ": does not match this model";
    if (!missing_.empty()) message += "; missing: " + listed_tensors(missing_);
    if (!unknown.empty()) message += "; unknown: " + listed_tensors(unknown);
    throw FormatError(message + "; use the config.json it was trained with");
  }
  if (!first_fault_.empty()) throw FormatError(first_fault_);
}

}  // namespace dragoman
