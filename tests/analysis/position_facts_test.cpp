#include "dragoman/analysis/position_facts.h"

#include "dragoman/model/positional_encoding.h"
#include "support/golden.h"

namespace position_facts_test {

using namespace dragoman;

TEST_CASE("shift matrix and products by offset match the golden ones", "[golden]") {
  for (const auto& name : test::golden_names("positional_sinusoidal")) {
    CAPTURE(name);
    const test::GoldenCase golden(name, at::kDouble);
    const std::int64_t d_model = golden.params().at("d_model");
    const std::int64_t offset = golden.params().at("k");
    const std::int64_t len = golden.params().at("max_len");
    CHECK_THAT(shift_matrix(offset, d_model), test::close_to(golden.output("shift_matrix")));
    CHECK_THAT(at::tensor(dot_by_offset(len, d_model), at::kDouble),
               test::close_to(golden.output("dot_by_offset")));
  }
}

TEST_CASE("a shift is the same linear map for every position", "[property]") {
  for (const std::int64_t offset : {1, 7, 100}) {
    CAPTURE(offset);
    CHECK(shift_error(offset, 2000, 64) < 1e-9);
  }
}

TEST_CASE("no two of ten thousand positions are the same", "[property]") {
  CHECK(least_distance(10000, 512) > 0.1);
  // Compared with the table itself, if it is small.
  const auto table = sinusoidal_table(300, 16);
  const auto between = at::cdist(table, table) + 1e9 * at::eye(300, at::kDouble);
  CHECK(least_distance(300, 16) == test::Approx(between.min().item<double>()).epsilon(1e-6));
}

}  // namespace position_facts_test
