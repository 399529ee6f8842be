#include "dragoman/kernels/weight_choice.h"

#include "dragoman/kernels/packed_kernel.h"
#include "support/catch.h"

#include <cmath>
#include <string_view>

namespace weight_choice_test {

using namespace dragoman;

TEST_CASE("auto is int8 where the processor multiplies it by instructions of its own", "[unit]") {
  const std::string_view best = packed_loops(WeightType::int8).front().instructions;
  const bool fast = best == "AVX-512 VNNI" || best == "AVX-VNNI" || best == "NEON i8mm" ||
                    best == "NEON dot product";
  CHECK(has_instructions_for(WeightType::int8) == fast);
  CHECK(weight_type(SearchPrecision::automatic) == (fast ? WeightType::int8 : WeightType::float32));
}

TEST_CASE("a type that is asked for is obeyed", "[unit]") {
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8})
    CHECK(weight_type(precision_with(type)) == type);
}

TEST_CASE("only types without instructions are measured", "[unit]") {
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8}) {
    const double times = time_against_float32(type);
    CHECK(std::isfinite(times));
    CHECK(times > 0.0);
    if (has_instructions_for(type)) CHECK(times == 1.0);
  }
}

}  // namespace weight_choice_test
