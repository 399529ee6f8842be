#include "dragoman/kernels/weight_choice.h"

#include "dragoman/kernels/packed_kernel.h"
#include "kernels/level_scope.h"
#include "support/catch.h"

#include <cmath>
#include <cstdlib>
#include <string_view>

namespace weight_choice_test {

using namespace dragoman;

namespace {

std::string_view instructions_for(WeightType type) {
  return packed_loops(type).front().instructions;
}

}  // namespace

TEST_CASE("auto is int8 where its products are known to be faster than those of float32",
          "[unit]") {
  const auto int8 = instructions_for(WeightType::int8),
             float32 = instructions_for(WeightType::float32);
  const bool by_instructions = int8 == "AMX int8" || int8 == "AVX-512 VNNI" || int8 == "AVX-VNNI" ||
                               int8 == "NEON i8mm" || int8 == "NEON dot product";
  const bool same_set = int8 == float32 && (int8 == "AVX2" || int8 == "SSE2");
  CHECK(has_instructions_for(WeightType::int8) == by_instructions);
  CHECK(is_int8_faster() == (by_instructions || same_set));
  CHECK(weight_type(SearchPrecision::automatic) ==
        (by_instructions || same_set ? WeightType::int8 : WeightType::float32));
}

#ifdef __x86_64__

TEST_CASE("auto is int8 with AVX2 alone and with SSE2 alone", "[unit]") {
  for (const char* level : {"avx2", "plain"}) {
    CAPTURE(level);
    const test::LevelScope scope(level);
    CHECK(weight_type(SearchPrecision::automatic) == WeightType::int8);
  }
}

#endif

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
