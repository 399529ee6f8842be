#include "dragoman/core/nearest_word.h"

#include <algorithm>

namespace dragoman {

namespace {

/// Mistyped words have one wrong byte, long ones two or three.
std::size_t largest_distance(std::string_view typed) {
  return std::clamp<std::size_t>(typed.size() / 3, 1, 3);
}

std::string only_completion(std::string_view typed, const std::vector<std::string>& candidates) {
  constexpr std::size_t shortest = 3;  // fewer bytes say too little
  if (typed.size() < shortest) return {};
  std::string found;
  for (const auto& word : candidates) {
    if (!word.starts_with(typed)) continue;
    if (!found.empty()) return {};
    found = word;
  }
  return found;
}

}  // namespace

std::size_t typing_errors(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const std::size_t replaced = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] =
          std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string nearest_word(std::string_view typed, const std::vector<std::string>& candidates) {
  constexpr std::size_t longest = 100;  // nobody mistypes more
  if (typed.empty() || typed.size() > longest) return {};
  if (auto whole = only_completion(typed, candidates); !whole.empty()) return whole;
  std::string best;
  std::size_t least = largest_distance(typed) + 1;
  for (const auto& word : candidates) {
    const auto distance = typing_errors(typed, word);
    if (distance >= least) continue;
    least = distance;
    best = word;
  }
  return best;
}

}  // namespace dragoman
