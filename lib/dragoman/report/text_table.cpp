#include "dragoman/report/text_table.h"

#include "dragoman/core/display_width.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <sstream>

namespace dragoman {

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += i == 0 ? pad_right(row[i], widths[i]) : "  " + pad_left(row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

std::string decimal(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  // Nothing below zero is left of -0.00004 in four digits.
  const bool is_zero = text.str().find_first_not_of("-0.") == std::string::npos;
  return is_zero && number < 0.0 ? text.str().substr(1) : text.str();
}

}  // namespace dragoman
