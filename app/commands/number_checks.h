#pragma once

#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

namespace dragoman::app {

/// A check for options that are floating-point numbers. CLI11's own ranges let "nan" pass.
/// \param holds called with finite numbers only
template <typename Holds>
CLI::Validator number_check(const std::string& description, const std::string& fault, Holds holds) {
  return {[fault, holds](std::string& text) -> std::string {
            double value = 0.0;
            const bool fits =
                CLI::detail::lexical_cast(text, value) && std::isfinite(value) && holds(value);
            return fits ? "" : text + ' ' + fault;
          },
          description};
}

/// Above 0 and finite.
inline CLI::Validator positive_number() {
  return number_check("POSITIVE", "is not a positive number",
                      [](double value) { return value > 0.0; });
}

/// A share of something, 0 and 1 included.
inline CLI::Validator share() {
  return number_check("in [0 - 1]", "is outside 0 to 1",
                      [](double value) { return value >= 0.0 && value <= 1.0; });
}

}  // namespace dragoman::app
