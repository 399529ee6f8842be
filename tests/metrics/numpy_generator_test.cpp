#include "dragoman/metrics/numpy_generator.h"

#include "support/catch.h"

#include <vector>

namespace numpy_generator_test {

using namespace dragoman;

TEST_CASE("the stream of seed 12345 equals NumPy's", "[golden]") {
  NumpyGenerator generator(12345);
  for (const std::uint32_t expected : {3003105693U, 976400781U, 3387213022U, 1360466709U})
    CHECK(generator.next32() == expected);
}

TEST_CASE("a seed above 32 bits uses its high half", "[golden]") {
  // numpy.random.default_rng(2**40 + 7).choice(1000, size=5)
  NumpyGenerator generator((std::uint64_t{1} << 40) + 7);
  std::vector<std::uint32_t> drawn;
  for (int i = 0; i < 5; ++i) drawn.push_back(generator.index_below(1000));
  CHECK(drawn == std::vector<std::uint32_t>{206, 829, 609, 255, 17});
}

TEST_CASE("indices stay below their count and reach all of them", "[property]") {
  NumpyGenerator generator(1);
  std::vector<int> seen(7, 0);
  for (int i = 0; i < 700; ++i) ++seen.at(generator.index_below(7));
  for (const int count : seen) CHECK(count > 50);
}

TEST_CASE("an index below one draws nothing", "[unit]") {
  NumpyGenerator generator(12345);
  CHECK(generator.index_below(1) == 0);
  CHECK(generator.next32() == 3003105693U);
}

TEST_CASE("bits are taken from the lowest bit of each draw", "[unit]") {
  NumpyGenerator generator(12345);
  NumpyBits bits(generator);
  std::uint32_t word = 0;
  for (int i = 0; i < 32; ++i) word |= static_cast<std::uint32_t>(bits.next()) << i;
  CHECK(word == 3003105693U);
  bits.next();
  CHECK(generator.next32() == 3387213022U);
}

}  // namespace numpy_generator_test
