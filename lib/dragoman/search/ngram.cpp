#include "dragoman/search/ngram.h"

#include <algorithm>

namespace dragoman {

std::vector<std::int64_t> repeating_tokens(std::span<const std::int32_t> ids, std::int64_t n) {
  const auto context = static_cast<std::size_t>(n - 1);
  std::vector<std::int64_t> banned;
  if (n < 1 || ids.size() <= context) return banned;
  const auto last = ids.last(context);
  for (std::size_t start = 0; start + context < ids.size(); ++start)
    if (std::ranges::equal(ids.subspan(start, context), last))
      banned.push_back(ids[start + context]);
  return banned;
}

bool has_loop(std::span<const std::int32_t> ids) {
  constexpr std::size_t longest_period = 32, least_times = 4, least_tokens = 8;
  for (std::size_t period = 1; period <= longest_period && period < ids.size(); ++period) {
    const std::size_t wanted = std::max(least_times * period, least_tokens) - period;
    std::size_t equal = 0;  // consecutive tokens equal to the one a period earlier
    for (std::size_t i = period; i < ids.size(); ++i) {
      equal = ids[i] == ids[i - period] ? equal + 1 : 0;
      if (equal >= wanted) return true;
    }
  }
  return false;
}

}  // namespace dragoman
