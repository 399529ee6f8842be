#pragma once

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <cstdint>
#include <string_view>

/// What the `validate` functions of the options are written with.
namespace dragoman::options {

/// \throws OptionsError "KEY: VALUE FACT; REMEDY" unless `holds`.
template <typename Value>
void require(bool holds, std::string_view key, const Value& value, std::string_view fact,
             std::string_view remedy) {
  if (!holds) throw OptionsError(concat(key, ": ", value, " ", fact, "; ", remedy));
}

/// \throws OptionsError unless `value` is in [low, high]; not a number is never inside.
template <typename Value>
void require_between(std::string_view key, Value value, Value low, Value high) {
  require(value >= low && value <= high, key, value, concat("is outside ", low, " to ", high),
          "choose a value inside");
}

/// The largest count of steps, tokens or sentences that an option may name.
inline constexpr std::int64_t largest_count = 1'000'000'000'000;

}  // namespace dragoman::options
