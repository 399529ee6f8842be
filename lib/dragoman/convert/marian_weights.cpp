#include "dragoman/convert/marian_weights.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/inference/file_weights.h"
#include "dragoman/run/parameters.h"
#include "dragoman/storage/marian_bin.h"
#include "dragoman/storage/npz_file.h"

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <utility>

namespace dragoman {

namespace {

constexpr const char* marian_options_name = "special:model.yml";

at::ScalarType marian_type(const MarianItem& item) {
  switch (item.type) {
    case MarianItem::Type::int8:
    case MarianItem::Type::intgemm8: return at::kChar;
    case MarianItem::Type::intgemm16: return at::kShort;
    case MarianItem::Type::float16: return at::kHalf;
    case MarianItem::Type::float32: return at::kFloat;
  }
  return at::kFloat;
}

/// As float32; integers divided by their multiplier, in the order that the shape says.
at::Tensor values_of_item(const MarianItem& item) {
  auto sizes = item.shape;
  if (item.transposed && sizes.size() == 2) std::swap(sizes[0], sizes[1]);
  auto values = at::from_blob(const_cast<char*>(item.bytes.data()), sizes, marian_type(item))
                    .to(at::kFloat, /*non_blocking=*/false, /*copy=*/true);
  if (item.transposed && sizes.size() == 2) values = values.t();
  const bool is_integer =
      item.type == MarianItem::Type::intgemm8 || item.type == MarianItem::Type::intgemm16;
  return (is_integer ? values / item.multiplier : values).contiguous();
}

at::Tensor values_of_array(const StridedTensor& array) {
  const auto type = array.dtype == DType::f16   ? at::kHalf
                    : array.dtype == DType::f64 ? at::kDouble
                                                : at::kFloat;
  return at::from_blob(const_cast<char*>(array.bytes.data()), array.shape, array.strides, type)
      .to(at::kFloat, /*non_blocking=*/false, /*copy=*/true)
      .contiguous();
}

bool is_floating(DType type) {
  return type == DType::f16 || type == DType::f32 || type == DType::f64;
}

}  // namespace

struct MarianWeights::Files {
  std::optional<NpzFile> npz;
  std::optional<MarianBin> bin;
  std::map<std::string, const StridedTensor*> arrays;
  std::map<std::string, const MarianItem*> items;

  std::optional<std::string_view> options() const {
    if (const auto found = arrays.find(marian_options_name); found != arrays.end())
      return found->second->bytes;
    if (const auto found = items.find(marian_options_name); found != items.end())
      return found->second->bytes;
    return std::nullopt;
  }

  /// A copy of what lies in a file, whose pages are no longer needed.
  at::Tensor without_pages(at::Tensor copy) const {
    if (npz) npz->drop_pages();
    if (bin) bin->drop_pages();
    return copy;
  }

  const std::vector<std::int64_t>* shape(const std::string& name) const {
    if (const auto found = arrays.find(name); found != arrays.end()) return &found->second->shape;
    if (const auto found = items.find(name); found != items.end()) return &found->second->shape;
    return nullptr;
  }
};

MarianWeights::MarianWeights(const std::filesystem::path& file)
    : files_(std::make_unique<Files>()), place_(file.string()) {
  if (file.extension() == ".npz") {
    files_->npz.emplace(file);
    for (const auto& array : files_->npz->arrays()) files_->arrays.emplace(array.name, &array);
  } else {
    files_->bin.emplace(file);
    for (const auto& item : files_->bin->items()) files_->items.emplace(item.name, &item);
  }
  const auto text = files_->options();
  if (!text)
    throw FormatError(
        concat(place_, ": has no ", marian_options_name, ", which tells how the model is built"));
  options_ = parse_marian_yaml(*text, concat(place_, ": ", marian_options_name));
  read_.insert(marian_options_name);
}

MarianWeights::~MarianWeights() = default;

bool MarianWeights::has(const std::string& name) const { return files_->shape(name) != nullptr; }

at::Tensor MarianWeights::matrix(const std::string& name, std::int64_t rows,
                                 std::int64_t columns) const {
  const auto* shape = files_->shape(name);
  if (shape == nullptr)
    throw FormatError(concat(place_, ": has no parameter ", name, "; its options say it should"));
  if (*shape != std::vector<std::int64_t>{rows, columns})
    throw FormatError(concat(place_, ": parameter ", name, ": is ", nlohmann::json(*shape).dump(),
                             ", by the options of the file it is [", rows, ",", columns, "]"));
  read_.insert(name);
  const auto refuse_type = [&](std::string_view type) {
    throw FormatError(concat(place_, ": parameter ", name, ": is of the type ", type,
                             "; parameters are floating-point numbers, or intgemm's integers, "
                             "which have a factor"));
  };
  const auto finite = [&](const at::Tensor& values) {
    expect_finite_weights(values, place_, name);
    return values;
  };
  if (const auto found = files_->items.find(name); found != files_->items.end()) {
    if (found->second->type == MarianItem::Type::int8) refuse_type("int8");
    return finite(files_->without_pages(values_of_item(*found->second)));
  }
  const auto& array = *files_->arrays.at(name);
  if (!is_floating(array.dtype)) refuse_type(name_of(array.dtype));
  return finite(files_->without_pages(values_of_array(array)));
}

at::Tensor MarianWeights::vector(const std::string& name, std::int64_t size) const {
  return matrix(name, 1, size).squeeze(0);
}

void MarianWeights::expect_all_read() const {
  std::vector<std::string> unknown;
  const auto note = [&](const std::string& name) {
    if (!read_.contains(name) && !name.ends_with("_QuantMultA")) unknown.push_back(name);
  };
  for (const auto& [name, array] : files_->arrays) note(name);
  for (const auto& [name, item] : files_->items) note(name);
  if (!unknown.empty())
    throw FormatError(
        concat(place_, ": has entries that this kind of model lacks: ", listed_tensors(unknown)));
}

}  // namespace dragoman
