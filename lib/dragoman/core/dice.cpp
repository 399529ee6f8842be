#include "dragoman/core/dice.h"

#include "dragoman/core/error.h"

#include <numeric>
#include <utility>

namespace dragoman {

std::size_t Dice::below(std::size_t sides) {
  state_ += 0x9E3779B97F4A7C15ULL;
  auto mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
  return static_cast<std::size_t>((mixed ^ (mixed >> 31U)) % sides);
}

std::vector<std::size_t> Dice::some_below(std::size_t sides, std::size_t count) {
  if (count > sides)
    throw ContractError(concat("Dice: ", count, " different numbers below ", sides));
  std::vector<std::size_t> all(sides);
  std::iota(all.begin(), all.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) std::swap(all[i], all[i + below(sides - i)]);
  all.resize(count);
  return all;
}

}  // namespace dragoman
