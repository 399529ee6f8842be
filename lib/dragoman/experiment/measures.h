#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A number that is measured on a trained model.
struct Measure {
  std::string_view name;   ///< in definitions and results: "valid_nll"
  std::string_view label;  ///< human-readable, with its unit
  int digits;              ///< decimals
  std::string_view part;   ///< of the measurements it belongs to; empty = always measured
};

/// \throws OptionsError if there is no measure of this name
const Measure& measure_named(std::string_view name);

/// The parts that a definition may request in addition to what is always measured.
std::vector<std::string_view> extra_measurements();

}  // namespace dragoman
