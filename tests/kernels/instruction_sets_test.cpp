#include "dragoman/core/concat.h"
#include "dragoman/core/simd.h"
#include "dragoman/kernels/packed_kernel.h"

#include "kernels/level_scope.h"
#include "support/catch.h"
#include "support/skip.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace instruction_sets_test {

using dragoman::concat;
using dragoman::instruction_sets;
using dragoman::SimdLevel;
using dragoman::WeightType;

namespace {

/// What a processor with no more than one level runs.
std::vector<std::string> sets_of(std::string_view level, WeightType type) {
  const test::LevelScope scope(level);
  std::vector<std::string> found;
  for (const auto& loops : dragoman::packed_loops(type)) found.emplace_back(loops.instructions);
  return found;
}

#if defined(__x86_64__)

/// Whether the system says that this processor has all of these instructions.
bool has_flags(const std::vector<std::string>& wanted) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    const std::set<std::string> flags{std::istream_iterator<std::string>(words), {}};
    return std::ranges::all_of(wanted, [&](const auto& flag) { return flags.contains(flag); });
  }
  return false;
}

/// The highest level of which this processor is known to have all instructions.
SimdLevel best_known_level() {
  if (!has_flags(
          {"sse4_2", "popcnt", "avx", "avx2", "fma", "bmi1", "bmi2", "f16c", "abm", "movbe"}))
    return SimdLevel::baseline;
  return has_flags({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})
             ? SimdLevel::x86_64_v4
             : SimdLevel::x86_64_v3;
}

std::string best_known_set(WeightType type) {
  if (type == WeightType::float32 && has_flags({"avx512f"})) return "AVX-512";
  if (type == WeightType::bf16 && has_flags({"amx_tile", "amx_bf16"})) return "AMX bf16";
  if (type == WeightType::bf16 && has_flags({"avx512_bf16"})) return "AVX-512 bf16";
  if (type == WeightType::int8 && has_flags({"amx_tile", "amx_int8"})) return "AMX int8";
  if (type == WeightType::int8 && has_flags({"avx512_vnni"})) return "AVX-512 VNNI";
  if (type == WeightType::int8 && has_flags({"avx_vnni"})) return "AVX-VNNI";
  return has_flags({"avx2", "fma"}) ? "AVX2" : "SSE2";
}

#else

SimdLevel best_known_level() { return SimdLevel::baseline; }

/// What the emulator's processor is known to have; elsewhere, what every processor has.
std::string best_known_set(WeightType type) {
  const char* const known = type == WeightType::int8   ? std::getenv("EXPECTED_INT8")
                            : type == WeightType::bf16 ? std::getenv("EXPECTED_BF16")
                                                       : nullptr;
  if (known == nullptr && type != WeightType::float32)
    test::skip("nothing says which instructions this processor has");
  return known != nullptr ? known : dragoman::packed_loops(type).back().instructions;
}

#endif

}  // namespace

TEST_CASE("the best instruction set that the processor is known to have is the first", "[unit]") {
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8}) {
    const auto expected = best_known_set(type), found = sets_of("", type).front();
    if (expected.starts_with("AMX") && found != expected)
      return test::skip("the system or the compiler does not offer AMX");
    CHECK(found == expected);
  }
}

TEST_CASE("loops use no instruction that the processor is not known to have", "[unit]") {
  CHECK(dragoman::simd_level() <= best_known_level());
}

TEST_CASE("no instruction set of this architecture is left untested", "[unit]") {
  std::string missing;
  for (std::size_t i = 0; i + 1 < instruction_sets.size(); ++i) {
    const auto adds = [i](WeightType type) {
      return sets_of(instruction_sets[i], type) != sets_of(instruction_sets[i + 1], type);
    };
    if (!adds(WeightType::float32) && !adds(WeightType::bf16) && !adds(WeightType::int8))
      missing += concat(' ', instruction_sets[i]);
  }
  CHECK(sets_of(instruction_sets.back(), WeightType::int8).size() == 1);
  // arm64.sh emulates several processors, which have all sets together.
  if (!missing.empty() && std::getenv("EXPECTED_INT8") == nullptr)
    test::skip("this processor lacks the instructions of DRAGOMAN_CPU =" + missing);
}

TEST_CASE("DRAGOMAN_CPU leaves out the instruction sets above its value", "[unit]") {
  for (const auto type : {WeightType::float32, WeightType::bf16, WeightType::int8}) {
    auto above = sets_of("", type);
    for (const auto level : instruction_sets) {
      const auto sets = sets_of(level, type);
      CAPTURE(level, sets, above);
      REQUIRE(sets.size() <= above.size());
      CHECK(std::equal(sets.rbegin(), sets.rend(), above.rbegin()));
      above = sets;
    }
    CHECK(above == std::vector<std::string>{dragoman::plain_loops(type).instructions});
  }
}

TEST_CASE("DRAGOMAN_CPU refuses other values and lists its own", "[unit]") {
  std::string names;
  for (const auto level : instruction_sets) names += concat(names.empty() ? "" : ", ", level);
  CHECK_THROWS_WITH(sets_of("sse9", WeightType::int8),
                    "DRAGOMAN_CPU: \"sse9\" is none of " + names + "; unset it");
}

}  // namespace instruction_sets_test
