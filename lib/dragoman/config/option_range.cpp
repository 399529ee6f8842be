#include "dragoman/config/option_range.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <cmath>

namespace dragoman {

namespace {

/// 24, 1048576 and 0.001 as they are, 1e12 as such.
std::string shown(double number) {
  constexpr double largest_integer = 9223372036854775807.0;  // which a double rounds up
  if (number == largest_integer) return "9223372036854775807";
  const double power = number > 0.0 ? std::log10(number) : 0.0;
  if (power >= 6.0 && power == std::floor(power)) return "1e" + decimal(power, 0);
  return number == std::floor(number) ? decimal(number, 0) : concat(number);
}

}  // namespace

bool OptionRange::contains(double value) const {
  if (or_else && value == *or_else) return true;
  const bool enough = above ? value > low : value >= low;
  return enough && (below ? value < high : value <= high);
}

std::string OptionRange::text() const {
  std::string text = or_else ? shown(*or_else) + ", or " : "";
  text += (above ? "above " : "") + shown(low);
  return text + (below ? " to below " : " to ") + shown(high);
}

}  // namespace dragoman
