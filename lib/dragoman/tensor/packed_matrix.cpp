#include "dragoman/tensor/packed_matrix.h"

#include "dragoman/core/error.h"
#include "dragoman/tensor/packed_kernel.h"
#include "dragoman/tensor/packed_rows.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <array>
#include <bit>

namespace dragoman {

namespace {

std::int64_t numbers_in_word(WeightType type) {
  switch (type) {
    case WeightType::float32: return 1;
    case WeightType::bf16: return 2;
    case WeightType::int8: return 4;
  }
  return 1;
}

/// The loops of all products in this process.
const PackedLoops& best_loops(WeightType type) {
  static const std::array best{packed_loops(WeightType::float32).front(),
                               packed_loops(WeightType::bf16).front(),
                               packed_loops(WeightType::int8).front()};
  return best[static_cast<std::size_t>(type)];
}

constexpr std::int32_t byte_zero = 128;

/// The rows of x in words. They are written to `words` and `scales`, unless they already are words.
const std::int32_t* pack_rows(const at::Tensor& x, WeightType type, std::int64_t depth,
                              std::vector<std::int32_t>& words, std::vector<float>& scales) {
  const auto* from = x.const_data_ptr<float>();
  if (type == WeightType::float32) return reinterpret_cast<const std::int32_t*>(from);
  const auto rows = x.size(0), width = x.size(1);
  words.resize(static_cast<std::size_t>(rows * depth));
  scales.resize(static_cast<std::size_t>(rows));
  for (std::int64_t r = 0; r < rows; ++r) {
    auto* to = words.data() + r * depth;
    if (type == WeightType::bf16)
      pack_bf16_row(from + r * width, width, to);
    else
      scales[static_cast<std::size_t>(r)] = pack_int8_row(from + r * width, width, byte_zero, to);
  }
  return words.data();
}

}  // namespace

bool has_packed_kernel(WeightType type) {
  return best_loops(type).kernel != plain_loops(type).kernel;
}

std::string packed_instructions(WeightType type) { return best_loops(type).instructions; }

PackedMatrix::PackedMatrix(const at::Tensor& weight, const at::Tensor& bias, WeightType type)
    : type_(type),
      outputs_(weight.size(0)),
      inputs_(weight.size(1)),
      panels_((outputs_ + panel_columns - 1) / panel_columns),
      depth_((inputs_ + numbers_in_word(type) - 1) / numbers_in_word(type)),
      words_(static_cast<std::size_t>(panels_ * depth_ * panel_columns)),
      bias_(static_cast<std::size_t>(panels_ * panel_columns)) {
  const auto matrix = weight.detach().contiguous();
  if (!at::isfinite(matrix).all().item<bool>())
    throw DataError(
        "model: a weight is NaN or infinite; use another checkpoint, this one is damaged");
  if (bias.defined()) {
    const auto values = bias.detach().contiguous();
    std::copy_n(values.const_data_ptr<float>(), outputs_, bias_.begin());
  }
  if (type == WeightType::int8) {
    column_scale_.resize(bias_.size());
    start_.resize(bias_.size());
  }
  std::vector<std::int32_t> row(static_cast<std::size_t>(depth_));
  for (std::int64_t column = 0; column < outputs_; ++column) {
    pack_column(matrix.const_data_ptr<float>() + column * inputs_, column, row);
    auto* to =
        words_.data() + (column / panel_columns) * depth_ * panel_columns + column % panel_columns;
    for (std::int64_t p = 0; p < depth_; ++p)
      to[p * panel_columns] = row[static_cast<std::size_t>(p)];
  }
}

/// One output's weights as words.
void PackedMatrix::pack_column(const float* weight, std::int64_t column,
                               std::vector<std::int32_t>& words) {
  switch (type_) {
    case WeightType::float32:
      std::transform(weight, weight + inputs_, words.begin(),
                     [](float value) { return std::bit_cast<std::int32_t>(value); });
      return;
    case WeightType::bf16: return pack_bf16_row(weight, inputs_, words.data());
    case WeightType::int8: break;
  }
  const auto place = static_cast<std::size_t>(column);
  column_scale_[place] = pack_int8_row(weight, inputs_, 0, words.data());
  // The bytes of x are offset by byte_zero, which is subtracted in advance.
  std::int32_t sum = 0;
  const auto* bytes = reinterpret_cast<const std::int8_t*>(words.data());
  for (std::int64_t i = 0; i < inputs_; ++i) sum += bytes[i];
  start_[place] = -byte_zero * sum;
}

at::Tensor PackedMatrix::multiply(const at::Tensor& x) const {
  auto shape = x.sizes().vec();
  if (shape.empty() || shape.back() != inputs_)
    throw ContractError(concat("packed product: x has ", shape.empty() ? 0 : shape.back(),
                               " features, not ", inputs_));
  const auto rows = x.reshape({-1, inputs_}).contiguous();
  shape.back() = outputs_;
  const auto result = at::empty(shape, x.options());
  thread_local std::vector<std::int32_t> words;
  thread_local std::vector<float> scales;
  const PackedProduct product{.rows = rows.size(0),
                              .columns = outputs_,
                              .depth = depth_,
                              .a = pack_rows(rows, type_, depth_, words, scales),
                              .b = words_.data(),
                              .bias = bias_.data(),
                              .row_scale = scales.data(),
                              .column_scale = column_scale_.data(),
                              .start = start_.data(),
                              .c = result.mutable_data_ptr<float>()};
  const auto kernel = best_loops(type_).kernel;
  // The smallest share of work for which waking a thread pays off.
  constexpr std::int64_t least_words = 1 << 18;
  const auto grain =
      least_words / std::max<std::int64_t>(product.rows * depth_ * panel_columns / 16, 1) + 1;
  at::parallel_for(0, panels_, grain,
                   [&](std::int64_t first, std::int64_t last) { kernel(product, first, last); });
  return result;
}

}  // namespace dragoman
