#include "dragoman/analysis/position_facts.h"

#include "dragoman/model/positional_encoding.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

/// offset * 10000^(-2i / d_model) for each offset and each pair of dimensions: [offsets, d_model /
/// 2]
at::Tensor angles(const at::Tensor& offsets, std::int64_t d_model) {
  const auto pairs = at::arange(0, d_model, 2, at::kDouble) / static_cast<double>(d_model);
  return offsets.unsqueeze(1) * at::pow(10000.0, -pairs);
}

}  // namespace

at::Tensor shift_matrix(std::int64_t offset, std::int64_t d_model) {
  const auto turn = angles(at::full({1}, static_cast<double>(offset), at::kDouble), d_model)[0];
  const auto even = at::arange(0, d_model, 2, at::kLong), odd = even + 1;
  auto matrix = at::zeros({d_model, d_model}, at::kDouble);
  matrix.index_put_({even, even}, turn.cos());
  matrix.index_put_({even, odd}, turn.sin());
  matrix.index_put_({odd, even}, -turn.sin());
  matrix.index_put_({odd, odd}, turn.cos());
  return matrix;
}

double shift_error(std::int64_t offset, std::int64_t len, std::int64_t d_model) {
  const auto table = sinusoidal_table(len + offset, d_model);
  const auto shifted = table.narrow(0, 0, len).matmul(shift_matrix(offset, d_model).t());
  return (table.narrow(0, offset, len) - shifted).abs().max().item<double>();
}

std::vector<double> dot_by_offset(std::int64_t len, std::int64_t d_model) {
  const auto dots = angles(at::arange(len, at::kDouble), d_model).cos().sum(-1).contiguous();
  const auto* first = dots.const_data_ptr<double>();
  return {first, first + len};
}

double least_distance(std::int64_t len, std::int64_t d_model) {
  // |PE(p) - PE(p + k)|^2 = sum over pairs of 4 sin^2(angle / 2), for any p.
  const auto halves = angles(at::arange(1, len, at::kDouble), d_model) / 2;
  return (4.0 * halves.sin().square().sum(-1)).min().sqrt().item<double>();
}

}  // namespace dragoman
