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

/// Brings the values into random order. How std::shuffle uses its generator is
/// implementation-defined; this one is the same everywhere.
/// \param random a generator of 64-bit numbers, such as std::mt19937_64
template <typename Value, typename Random>
void shuffle(std::vector<Value>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

}  // namespace dragoman
