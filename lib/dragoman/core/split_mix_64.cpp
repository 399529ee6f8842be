#include "dragoman/core/split_mix_64.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"

#include <numeric>
#include <utility>

namespace dragoman {

std::size_t SplitMix64::below(std::size_t sides) {
  const auto mixed = split_mix(state_);
  state_ += split_mix_step;
  return static_cast<std::size_t>(mixed % sides);
}

std::vector<std::size_t> SplitMix64::some_below(std::size_t sides, std::size_t count) {
  if (count > sides)
    throw ContractError(concat("SplitMix64: ", count, " different numbers below ", sides));
  std::vector<std::size_t> all(sides);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + below(sides - i)]);
  all.resize(count);
  return all;
}

}  // namespace dragoman
