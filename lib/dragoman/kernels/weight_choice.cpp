#include "dragoman/kernels/weight_choice.h"

#include "dragoman/core/error.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/kernels/packed_kernel.h"
#include "dragoman/kernels/packed_matrix.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <vector>

namespace dragoman {

bool has_instructions_for(WeightType type) {
  const auto best = packed_loops(type).front().kernel;
  const auto is_one_of = [best](std::initializer_list<PackedKernel> kernels) {
    return std::ranges::find(kernels, best) != kernels.end();
  };
  switch (type) {
    case WeightType::float32: return true;
    case WeightType::bf16: return is_one_of({avx512_bf16_kernel(), neon_bf16_kernel()});
    case WeightType::int8:
      return is_one_of(
          {avx512_int8_kernel(), avx_vnni_kernel(), neon_i8mm_kernel(), neon_dotprod_kernel()});
  }
  return false;
}

namespace {

/// The shortest of a few products of the size that a layer of a small model has.
double seconds_of_product(WeightType type) {
  constexpr std::int64_t rows = 64, width = 256;
  const std::vector<float> x(static_cast<std::size_t>(rows * width), 0.5F),
      weight(static_cast<std::size_t>(width * width), 0.25F);
  std::vector<float> c(x.size());
  const PackedMatrix matrix(weight, {}, width, width, type);
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 5; ++i) {
    double seconds = 0.0;
    timed(seconds, [&] {
      PackedRows packed;
      packed.set(x.data(), rows, width, type);
      matrix.multiply(packed, {.c = c.data()});
    });
    shortest = std::min(shortest, seconds);
  }
  return shortest;
}

}  // namespace

WeightType weight_type(SearchPrecision precision) {
  switch (precision) {
    case SearchPrecision::automatic:
      return has_instructions_for(WeightType::int8) ? WeightType::int8 : WeightType::float32;
    case SearchPrecision::float32: return WeightType::float32;
    case SearchPrecision::bf16: return WeightType::bf16;
    case SearchPrecision::int8: return WeightType::int8;
  }
  throw ContractError("search.precision is none of its values");
}

double time_against_float32(WeightType type) {
  if (has_instructions_for(type)) return 1.0;
  return seconds_of_product(type) / seconds_of_product(WeightType::float32);
}

}  // namespace dragoman
