#include "dragoman/core/number_text.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>

namespace dragoman {

std::string grouped(std::int64_t number) {
  const auto digits = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string bytes_text(double bytes) {
  constexpr std::array units = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = bytes / 1e3;
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1e3;
    ++unit;
  }
  char text[40];
  std::snprintf(text, sizeof text, "%.*f %s", value < 9.95 && unit > 0 ? 1 : 0, value, units[unit]);
  return text;
}

}  // namespace dragoman
