#include "dragoman/kernels/weight_choice.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/kernels/packed_kernel.h"
#include "dragoman/kernels/packed_matrix.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace dragoman {

bool has_instructions_for(WeightType type) {
  const auto best = packed_loops(type).front().kernel;
  return type == WeightType::float32 ||
         (best != avx2_kernel(type) && best != plain_loops(type).kernel);
}

namespace {

/// A product of the size that a layer of a small model has, measured.
class MeasuredProduct {
 public:
  explicit MeasuredProduct(WeightType type) : type_(type) {}

  void run() {
    double seconds = 0.0;
    timed(seconds, [&] {
      PackedRows packed;
      packed.set(x_.data(), rows, width, type_);
      matrix_.multiply(packed, {.c = c_.data()});
    });
    shortest_ = std::min(shortest_, seconds);
  }

  double shortest() const { return shortest_; }  ///< seconds

 private:
  static constexpr std::int64_t rows = 64, width = 256;

  WeightType type_;
  std::vector<float> x_ = std::vector<float>(static_cast<std::size_t>(rows * width), 0.5F);
  std::vector<float> c_ = x_;
  PackedMatrix matrix_ = PackedMatrix(
      std::vector<float>(static_cast<std::size_t>(width * width), 0.25F), {}, width, width, type_);
  double shortest_ = std::numeric_limits<double>::infinity();
};

}  // namespace

bool is_int8_faster() {
  if (has_instructions_for(WeightType::int8)) return true;
#ifdef __x86_64__
  // With AVX2 it is 1.35 times as fast as float32, with SSE2 1.55 times; AVX-512 without VNNI has
  // loops for float32 alone, which are as fast as those of AVX2 for int8.
  return std::string_view(packed_loops(WeightType::int8).front().instructions) ==
         packed_loops(WeightType::float32).front().instructions;
#else
  return false;
#endif
}

WeightType weight_type(SearchPrecision precision) {
  switch (precision) {
    case SearchPrecision::automatic:
      return is_int8_faster() ? WeightType::int8 : WeightType::float32;
    case SearchPrecision::float32: return WeightType::float32;
    case SearchPrecision::bf16: return WeightType::bf16;
    case SearchPrecision::int8: return WeightType::int8;
  }
  throw ContractError("search.precision is none of its values");
}

double time_against_float32(WeightType type) {
  if (has_instructions_for(type)) return 1.0;
  MeasuredProduct of_type(type), of_float32(WeightType::float32);
  for (int i = 0; i < 25; ++i) {  // by turns, as other programs may slow down some of them
    of_type.run();
    of_float32.run();
  }
  return of_type.shortest() / of_float32.shortest();
}

std::string slow_products_text(std::string_view setting, double times, std::string_view machine) {
  return concat(
      setting, ": products take ", decimal(times, 1), " times as long as with float32",
      machine.empty() ? "" : concat(", since this ", machine, " has no instructions for it"),
      "; choose auto or float32");
}

}  // namespace dragoman
