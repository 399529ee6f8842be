#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {

/// Seeded random numbers that are the same with every compiler (SplitMix64).
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  /// A number from 0 to `sides` - 1.
  std::size_t below(std::size_t sides);

  template <typename Value>
  const Value& one_of(const std::vector<Value>& all) {
    return all[below(all.size())];
  }

  /// `count` different numbers below `sides`, in random order.
  /// \throws ContractError if there are not that many
  std::vector<std::size_t> some_below(std::size_t sides, std::size_t count);

 private:
  std::uint64_t state_;
};

}  // namespace dragoman
