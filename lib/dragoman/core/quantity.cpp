#include "dragoman/core/quantity.h"

#include "dragoman/core/concat.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <initializer_list>

namespace dragoman {

namespace {

std::int64_t whole_seconds(double seconds) {
  return static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e15)));
}

/// In the first of units, each 1000 of the one before, that makes it less than 1000.
std::string with_unit(double value, std::initializer_list<const char*> units) {
  const auto* unit = units.begin();
  for (; value >= 999.5 && unit + 1 != units.end(); ++unit) value /= 1000.0;
  return concat(decimal(value, unit != units.begin() && value < 9.95 ? 1 : 0), ' ', *unit);
}

/// "05"
std::string two_digits(std::int64_t number) { return concat(number < 10 ? "0" : "", number); }

}  // namespace

bool is_exact_whole(double number) {
  constexpr double largest = 9007199254740992.0;  // 2^53: every whole number up to it is a double
  return std::abs(number) <= largest && number == std::floor(number);
}

std::string grouped(std::int64_t number) {
  auto text = std::to_string(number);
  const std::ptrdiff_t first = number < 0 ? 1 : 0;
  for (auto at = std::ssize(text) - 3; at > first; at -= 3)
    text.insert(static_cast<std::size_t>(at), 1, ',');
  return text;
}

std::string counted(std::int64_t number, std::string_view noun) {
  return concat(grouped(number), ' ', noun, number == 1 ? "" : "s");
}

std::string decimal(double value, int digits) {
  constexpr std::size_t others = 311;  // sign, the digits of the largest number, point
  std::string text(others + static_cast<std::size_t>(digits), ' ');
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, digits);
  text.resize(static_cast<std::size_t>(end.ptr - text.data()));
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text.front() == '-' ? text.substr(1) : text;
}

std::string signed_decimal(double value, int digits) {
  const auto text = decimal(value, digits);
  return text.front() == '-' ? text : '+' + text;
}

std::string short_count(double value) {
  constexpr std::array units{"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  // 999.7 is 1.0k, not 1000.
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return decimal(value, unit > 0 && value < 9.95 ? 1 : 0) + units[unit];
}

std::string bytes_text(double bytes) {
  return with_unit(bytes / 1000.0, {"kB", "MB", "GB", "TB", "PB", "EB"});
}

std::string flops_text(double flops) {
  return with_unit(flops / 1000.0, {"kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP", "ZFLOP"});
}

std::string duration_text(double seconds) {
  const auto whole = whole_seconds(seconds);
  constexpr std::int64_t hour = 3600, day = 24 * hour;
  if (whole >= 10 * day) return concat(grouped((whole + day / 2) / day), " days");
  if (whole >= 4 * day) return concat(whole / day, " days ", whole % day / hour, " h");
  if (whole >= hour) return concat(whole / hour, " h ", whole / 60 % 60, " min");
  if (whole >= 60) return concat(whole / 60, " min ", whole % 60, " s");
  return concat(whole, " s");
}

std::string short_duration(double seconds) {
  const auto whole = whole_seconds(seconds);
  if (whole >= 3600) return concat(whole / 3600, 'h', two_digits(whole / 60 % 60));
  if (whole >= 60) return concat(whole / 60, 'm', two_digits(whole % 60));
  return concat(whole, 's');
}

std::string clock_text() {
  const auto now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  return concat(two_digits(local.tm_hour), ':', two_digits(local.tm_min), ':',
                two_digits(local.tm_sec));
}

}  // namespace dragoman
