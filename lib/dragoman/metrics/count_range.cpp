#include "dragoman/metrics/count_range.h"

#include "dragoman/core/concat.h"

namespace dragoman {

std::string CountRange::text() const {
  if (!to) return concat("over ", from - 1);
  return from == *to ? concat(from) : concat(from, " to ", *to);
}

std::vector<CountRange> count_ranges(const std::vector<std::int64_t>& ends) {
  std::vector<CountRange> ranges;
  std::int64_t from = 0;
  for (const auto end : ends) {
    ranges.push_back({.from = from, .to = end});
    from = end + 1;
  }
  ranges.push_back({.from = from});
  return ranges;
}

std::size_t range_of(const std::vector<CountRange>& ranges, std::int64_t number) {
  std::size_t at = 0;
  while (ranges[at].to && number > *ranges[at].to) ++at;
  return at;
}

}  // namespace dragoman
