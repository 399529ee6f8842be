#include "dragoman/core/fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace dragoman {

namespace {

constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t lanes = 4;  // steps that do not wait for one another

/// Mixes in one word. For a given word each state leads to another one, and for a given state each
/// word does, so a difference is never lost.
std::uint64_t absorb(std::uint64_t state, std::uint64_t word) {
  return std::rotl(state ^ word, 29) * 0x9E3779B97F4A7C15ULL;
}

std::uint64_t finish(std::uint64_t state) {
  state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ULL;
  state = (state ^ (state >> 27)) * 0x94D049BB133111EBULL;
  return state ^ (state >> 31);
}

}  // namespace

std::uint64_t fingerprint(std::string_view bytes) {
  std::array<std::uint64_t, lanes> state{1, 2, 3, 4};
  const auto size = bytes.size();
  while (!bytes.empty()) {
    std::array<std::uint64_t, lanes> words{};
    const auto taken = std::min(bytes.size(), lanes * word_bytes);
    std::memcpy(words.data(), bytes.data(), taken);
    for (std::size_t i = 0; i < lanes; ++i) state[i] = absorb(state[i], words[i]);
    bytes.remove_prefix(taken);
  }
  std::uint64_t sum = size;
  for (const auto lane : state) sum = absorb(sum, lane);
  return finish(sum);
}

}  // namespace dragoman
