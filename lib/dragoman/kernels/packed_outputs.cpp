#include "dragoman/kernels/packed_outputs.h"

#include "dragoman/kernels/packed_kernel.h"

#include <algorithm>

namespace dragoman {

namespace {

/// The numbers of the outputs, followed by zeros up to a whole panel.
template <typename Number>
void select_numbers(const std::vector<Number>& all, std::span<const std::int32_t> outputs,
                    std::size_t padded, std::vector<Number>& selected) {
  if (all.empty()) return selected.clear();
  selected.assign(padded, Number{});
  std::ranges::transform(outputs, selected.begin(), [&](std::int32_t output) {
    return all[static_cast<std::size_t>(output)];
  });
}

}  // namespace

PackedOutputs::PackedOutputs(const PackedMatrix& whole)
    : type_(whole.type_),
      inputs_(whole.inputs_),
      depth_(whole.depth_),
      words_(static_cast<std::size_t>(whole.outputs_ * whole.depth_)),
      bias_(whole.bias_),
      column_scale_(whole.column_scale_),
      start_(whole.start_) {
  auto* to = words_.data();
  for (std::int64_t output = 0; output < whole.outputs_; ++output) {
    const auto* from = whole.words_.data() + (output / panel_columns) * depth_ * panel_columns +
                       output % panel_columns;
    for (std::int64_t p = 0; p < depth_; ++p) *to++ = from[p * panel_columns];
  }
}

void PackedOutputs::select(std::span<const std::int32_t> outputs, PackedMatrix& selection) const {
  const auto count = std::ssize(outputs);
  selection.type_ = type_;
  selection.outputs_ = count;
  selection.inputs_ = inputs_;
  selection.depth_ = depth_;
  selection.panels_ = (count + panel_columns - 1) / panel_columns;
  const auto padded = static_cast<std::size_t>(selection.panels_ * panel_columns);
  select_numbers(bias_, outputs, padded, selection.bias_);
  select_numbers(column_scale_, outputs, padded, selection.column_scale_);
  select_numbers(start_, outputs, padded, selection.start_);
  selection.words_.resize(padded * static_cast<std::size_t>(depth_));
  auto* to = selection.words_.data();
  for (std::int64_t first = 0; first < count; first += panel_columns) {
    const auto filled = std::min(panel_columns, count - first);
    const std::int32_t* from[panel_columns];
    for (std::int64_t c = 0; c < filled; ++c)
      from[c] = words_of(outputs[static_cast<std::size_t>(first + c)]);
    for (std::int64_t p = 0; p < depth_; ++p, to += panel_columns) {
      for (std::int64_t c = 0; c < filled; ++c) to[c] = from[c][p];
      std::fill(to + filled, to + panel_columns, 0);
    }
  }
}

}  // namespace dragoman
