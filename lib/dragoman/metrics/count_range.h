#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Whole numbers from `from` to `to`, both included; without a `to` all from there on.
struct CountRange {
  std::int64_t from = 0;
  std::optional<std::int64_t> to = {};

  bool operator==(const CountRange&) const = default;

  /// "0", "6 to 10", "over 160".
  std::string text() const;
};

/// The ranges that end at these numbers, and what is above the last; the first begins at 0.
/// \param ends rising, at least one
std::vector<CountRange> count_ranges(const std::vector<std::int64_t>& ends);

/// The place of the range that holds `number`. \param ranges as `count_ranges` makes them
std::size_t range_of(const std::vector<CountRange>& ranges, std::int64_t number);

}  // namespace dragoman
