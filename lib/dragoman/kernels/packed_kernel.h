#pragma once

#include "dragoman/config/weight_type.h"

#include <cstdint>
#include <vector>

namespace dragoman {

/// Columns per panel of a packed matrix.
constexpr std::int64_t panel_columns = 64;

/// A product c = a b whose factors are packed into 32-bit words along the depth: one float32, two
/// bf16 or four int8 per word, so that one loop serves all three.
struct PackedProduct {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t depth = 0;            ///< words
  const std::int32_t* a = nullptr;   ///< [rows, depth]; int8: unsigned, 128 represents 0
  const std::int32_t* b = nullptr;   ///< [panels, depth, panel_columns]; the last panel is padded
                                     ///< with zeros
  const float* bias = nullptr;       ///< [panels * panel_columns]
  const float* row_scale = nullptr;  ///< [rows]; int8 only
  const float* column_scale = nullptr;  ///< [panels * panel_columns]; int8 only
  const std::int32_t* start = nullptr;  ///< initial value of each column's sum, as above; int8
                                        ///< only
  bool relu = false;                    ///< negative results become 0
  const float* residual = nullptr;      ///< [rows, columns], then added to the result; may be `c`
  float* c = nullptr;                   ///< [rows, columns]
};

/// Writes the columns of the panels in [`first`, `last`).
using PackedKernel = void (*)(const PackedProduct& product, std::int64_t first, std::int64_t last);

/// The loops of one instruction set.
struct PackedLoops {
  const char* instructions;  ///< "AVX-512 VNNI"
  PackedKernel kernel;
};

/// What this processor can run for a type of weights, the best first; plain loops are the last. The
/// environment variable DRAGOMAN_CPU leaves out what is above "avx512", "avx2" or "plain".
/// \throws OptionsError if the variable has another value
std::vector<PackedLoops> packed_loops(WeightType type);

PackedLoops plain_loops(WeightType type);

// Null if the processor lacks the instructions.
PackedKernel avx512_float32_kernel();
PackedKernel avx512_bf16_kernel();
PackedKernel avx512_int8_kernel();
PackedKernel avx2_kernel(WeightType type);

// The same in plain loops, for any processor.
void multiply_float32(const PackedProduct& product, std::int64_t first, std::int64_t last);
void multiply_bf16(const PackedProduct& product, std::int64_t first, std::int64_t last);
void multiply_int8(const PackedProduct& product, std::int64_t first, std::int64_t last);

}  // namespace dragoman
