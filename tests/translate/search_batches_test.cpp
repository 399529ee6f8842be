#include "dragoman/translate/search_batches.h"

#include "support/catch.h"

#include <algorithm>
#include <cstddef>

namespace search_batches_test {

using dragoman::BatchIndices;
using dragoman::search_batches;
using dragoman::SearchLengths;

TEST_CASE("sentences without prefixes are batched by source length alone", "[unit]") {
  std::vector<SearchLengths> lengths;
  std::vector<std::int64_t> sources;
  for (std::int64_t i = 0; i < 40; ++i) {
    sources.push_back(1 + i * 7 % 23);
    lengths.push_back({.source = sources.back()});
  }
  CHECK(search_batches(lengths, 60) == dragoman::length_batches(sources, 60));
}

TEST_CASE("every batch shares more than half of its longest prefix", "[unit]") {
  std::vector<SearchLengths> lengths;
  for (std::int64_t i = 0; i < 200; ++i) lengths.push_back({1 + i * 7 % 23, i * 11 % 40});
  std::vector<std::uint32_t> seen;
  for (const auto& batch : search_batches(lengths, 100)) {
    const auto [shortest, longest] =
        std::ranges::minmax(batch, {}, [&](std::uint32_t i) { return lengths[i].prefix; });
    CAPTURE(lengths[shortest].prefix, lengths[longest].prefix);
    CHECK((lengths[longest].prefix == 0 || 2 * lengths[shortest].prefix > lengths[longest].prefix));
    seen.insert(seen.end(), batch.begin(), batch.end());
  }
  std::ranges::sort(seen);
  REQUIRE(seen.size() == lengths.size());
  for (std::size_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == i);
}

TEST_CASE("one sentence without a prefix does not join those with one", "[unit]") {
  const std::vector<SearchLengths> lengths{{5, 12}, {5, 0}, {5, 9}, {6, 15}};
  CHECK(search_batches(lengths, 1000) == std::vector<BatchIndices>{{1}, {3, 0, 2}});
}

TEST_CASE("a batch whose sentences need much memory has fewer of them", "[unit]") {
  constexpr double mebibyte = 1 << 20;
  CHECK(dragoman::least_positions(0.0, 8192) <= 1);
  CHECK(dragoman::least_positions(1.0 * mebibyte, 8192) == 1);
  CHECK(dragoman::least_positions(64.0 * mebibyte, 8192) == 64);  // 128 sentences
  CHECK(dragoman::least_positions(100.0 * mebibyte, 8192) == 102);
  CHECK(dragoman::least_positions(1e12, 8192) == 8192);  // one
}

}  // namespace search_batches_test
