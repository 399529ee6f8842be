#pragma once

#include "dragoman/config/weight_type.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
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

/// One of the other loops, compiled for one level of instructions.
struct LoopSpeed {
  std::string kernel;           ///< "log_sum_exp, 8000 logits"
  std::string instructions;     ///< "x86-64-v3"
  double seconds;               ///< CPU time of one call
  double gigabytes_per_second;  ///< 10^9 bytes of inputs and outputs, each counted once
  double copy_share;            ///< of the speed at which memcpy reads and writes as many bytes
  std::optional<double> torch_seconds;  ///< of LibTorch's operator, held to the same level
};

/// The members by name; null for a missing operator.
nlohmann::json json_of(const LoopSpeed& speed);

/// What the CPU kernels reach on one thread.
struct KernelBenchmark {
  std::vector<ProductSpeed> products;
  std::vector<LoopSpeed> loops;

  std::string text() const;
  nlohmann::json json() const;
};

/// Measures packed products by every instruction set that this processor has, by turns, in the
/// shapes of the presets tiny and base, and the other loops by every level of instructions
/// (`measure_loops`). To be called before other threads are started.
KernelBenchmark benchmark_kernels(const KernelOptions& options);

}  // namespace dragoman
