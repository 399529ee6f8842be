#pragma once

#include "dragoman/kernels/packed_matrix.h"

#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// The outputs of a PackedMatrix one after the other, from which matrices of some of them are
/// made quickly: an output is read from one place, not from as many as it has inputs.
class PackedOutputs {
 public:
  explicit PackedOutputs(const PackedMatrix& whole);

  /// Products with `selection` have at output i the bits that those with the whole matrix have at
  /// `outputs[i]`.
  /// \param outputs of the whole matrix; at least one
  /// \param selection overwritten; its memory is used again
  void select(std::span<const std::int32_t> outputs, PackedMatrix& selection) const;

 private:
  const std::int32_t* words_of(std::int32_t output) const {
    return words_.data() + static_cast<std::int64_t>(output) * depth_;
  }

  WeightType type_;
  std::int64_t inputs_, depth_;
  std::vector<std::int32_t> words_;  // [outputs, depth]
  std::vector<float> bias_;          // [outputs]
  std::vector<float> column_scale_;  // [outputs]; int8 only
  std::vector<std::int32_t> start_;  // [outputs]; int8 only
};

}  // namespace dragoman
