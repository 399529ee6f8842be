#include "dragoman/kernels/packed_outputs.h"

#include "kernels/attention_reference.h"
#include "support/catch.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace packed_outputs_test {

using namespace dragoman;

namespace {

std::vector<float> product(const PackedMatrix& matrix, const std::vector<float>& x,
                           std::int64_t rows) {
  PackedRows packed;
  packed.set(x.data(), rows, matrix.inputs(), matrix.type());
  std::vector<float> c(static_cast<std::size_t>(rows * matrix.outputs()));
  matrix.multiply(packed, {.c = c.data()});
  return c;
}

}  // namespace

TEST_CASE("selected outputs have the bits of the whole matrix, in every number type",
          "[property]") {
  const auto type = GENERATE(WeightType::float32, WeightType::bf16, WeightType::int8);
  std::mt19937 random(2);
  for (const std::int64_t inputs : {3, 16, 65, 256})
    for (const std::int64_t rows : {1, 2, 5, 33}) {
      constexpr std::int64_t outputs = 300;
      const auto weight = test::normal_numbers(outputs * inputs, 3),
                 bias = test::normal_numbers(outputs, 4),
                 x = test::normal_numbers(rows * inputs, 5);
      const PackedMatrix whole(weight, bias, outputs, inputs, type);
      const auto expected = product(whole, x, rows);
      const PackedOutputs parts(whole);
      PackedMatrix selection;
      for (const std::size_t count : {300U, 1U, 64U, 130U, 63U}) {
        CAPTURE(inputs, rows, count);
        std::vector<std::int32_t> chosen(outputs);
        for (std::size_t i = 0; i < chosen.size(); ++i) chosen[i] = static_cast<std::int32_t>(i);
        if (count < chosen.size()) std::shuffle(chosen.begin(), chosen.end(), random);
        chosen.resize(count);
        std::ranges::sort(chosen);
        parts.select(chosen, selection);
        REQUIRE(selection.outputs() == std::ssize(chosen));
        const auto found = product(selection, x, rows);
        bool same = true;
        for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r)
          for (std::size_t i = 0; i < count; ++i)
            same = same && std::memcmp(&found[r * count + i],
                                       &expected[r * outputs + static_cast<std::size_t>(chosen[i])],
                                       sizeof(float)) == 0;
        CHECK(same);
      }
    }
}

TEST_CASE("a matrix without bias is selected from like one with zeros", "[unit]") {
  const auto weight = test::normal_numbers(70 * 8, 6), x = test::normal_numbers(8, 7);
  const PackedMatrix whole(weight, {}, 70, 8, WeightType::int8);
  PackedMatrix selection;
  PackedOutputs(whole).select(std::vector{2, 69}, selection);
  const auto all = product(whole, x, 1), found = product(selection, x, 1);
  CHECK(found[0] == all[2]);
  CHECK(found[1] == all[69]);
}

}  // namespace packed_outputs_test
