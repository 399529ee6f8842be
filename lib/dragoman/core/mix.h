#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dragoman {

/// What the state of splitmix64 advances by.
inline constexpr std::uint64_t split_mix_step = 0x9E3779B97F4A7C15ULL;

/// The number that splitmix64 draws in state `x`.
constexpr std::uint64_t split_mix(std::uint64_t x) {
  x += split_mix_step;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

/// Mixes two 64-bit numbers into one that looks random.
constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  return split_mix(split_mix(a) ^ b);
}

/// The number in [0, 1) that random bits stand for: the upper 53 of them, as many as a double has.
constexpr double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1p-53; }

/// Brings the values into random order. How std::shuffle uses its generator is
/// implementation-defined; this one is the same everywhere.
/// \param random a generator of 64-bit numbers, such as std::mt19937_64
template <typename Value, typename Random>
void shuffle(std::vector<Value>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random() % i]);
}

}  // namespace dragoman
