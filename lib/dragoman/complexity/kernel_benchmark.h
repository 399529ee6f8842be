#pragma once

#include "dragoman/config/weight_type.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Options of `benchmark_kernels`.
struct KernelOptions {
  double seconds = 0.1;  ///< measuring time per kernel, instruction set and shape
};

/// A product of [rows, inputs] and [inputs, outputs].
struct ProductShape {
  std::int64_t rows, inputs, outputs;

  /// Multiply-adds of one product.
  double multiply_adds() const;
};

/// One packed product by the loops of one instruction set, or by LibTorch.
struct ProductSpeed {
  WeightType type;
  std::string instructions;  ///< "AVX2", or "LibTorch": at::linear in float32
  ProductShape shape;
  double seconds;     ///< CPU time of one product
  double peak_share;  ///< of the highest speed that the type's best set reached at any shape

  /// Thousand million multiply-adds per second.
  double gmacs() const { return shape.multiply_adds() / seconds / 1e9; }
};

/// One of the other loops of translation, compiled for this processor's level.
struct LoopSpeed {
  std::string kernel;  ///< "log_sum_exp", with its sizes
  double seconds;      ///< CPU time of one call
};

/// What the CPU kernels reach on one thread.
struct KernelBenchmark {
  std::vector<ProductSpeed> products;
  std::vector<LoopSpeed> loops;

  std::string text() const;
  nlohmann::json json() const;
};

/// Measures packed products by every instruction set that this processor has, by turns, in the
/// shapes of the presets tiny and base, and the other loops by that which they use.
KernelBenchmark benchmark_kernels(const KernelOptions& options);

}  // namespace dragoman
