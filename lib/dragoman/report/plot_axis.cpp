#include "dragoman/report/plot_axis.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dragoman {

namespace {

constexpr double largest_value = 1e300;
constexpr double wished_ticks = 5.0;

struct AxisRange {
  double least = 0.0;
  double largest = 0.0;
};

AxisRange range_of(const std::vector<double>& values, bool logarithmic) {
  AxisRange range{largest_value, -largest_value};
  for (const double value : values) {
    if (std::isnan(value)) continue;
    if (std::abs(value) > largest_value)
      throw std::invalid_argument(concat("plot: ", value, " cannot be drawn; leave it out"));
    if (logarithmic && value <= 0.0)
      throw std::invalid_argument(
          concat("plot: ", value, " has no place on a logarithmic axis; leave it out"));
    range = {std::min(range.least, value), std::max(range.largest, value)};
  }
  if (range.least > range.largest) return logarithmic ? AxisRange{1.0, 10.0} : AxisRange{0.0, 1.0};
  return range;
}

/// 1, 2 or 5 times a power of ten.
struct RoundNumber {
  int digit;
  int power;

  double value() const { return digit * std::pow(10.0, power); }
  RoundNumber next() const {
    return digit == 5 ? RoundNumber{1, power + 1} : RoundNumber{digit == 1 ? 2 : 5, power};
  }
};

/// The largest round number that is not above `x`, which is positive.
RoundNumber round_below(double x) {
  RoundNumber number{1, static_cast<int>(std::floor(std::log10(x)))};
  if (number.value() > x) --number.power;
  while (number.next().value() <= x * (1.0 + 1e-12)) number = number.next();
  return number;
}

/// "250", "0.05", "1.5e7": as short as possible without losing digits of the tick.
std::string label_of(double value, int digits) {
  const double size = std::abs(value);
  if (size < 1e6 && digits <= 4) return decimal(value, std::max(0, digits));
  if (value == 0.0) return "0";
  const int power = static_cast<int>(std::floor(std::log10(size) + 1e-9));
  return decimal(value / std::pow(10.0, power), std::clamp(digits + power, 0, 6)) + "e" +
         std::to_string(power);
}

PlotAxis linear_axis(AxisRange range) {
  const double size = std::max(std::abs(range.least), std::abs(range.largest));
  if (range.largest - range.least <= 1e-9 * size) {
    range.least -= 0.1 * size;
    range.largest += 0.1 * size;
  }
  if (range.largest - range.least < 1e-290) range.largest = range.least + 1.0;
  auto step = round_below((range.largest - range.least) / wished_ticks);
  if ((range.largest - range.least) / step.value() > 2.0 * wished_ticks - 2.0) step = step.next();
  const double first = std::floor(range.least / step.value() + 1e-9);
  const double last = std::ceil(range.largest / step.value() - 1e-9);
  PlotAxis axis{
      .logarithmic = false, .from = first * step.value(), .to = last * step.value(), .ticks = {}};
  for (double tick = first; tick <= last; tick += 1.0)
    axis.ticks.push_back({tick * step.value(), label_of(tick * step.value(), -step.power)});
  return axis;
}

PlotAxis logarithmic_axis(const AxisRange& range) {
  auto first = round_below(range.least);
  auto last = round_below(range.largest);
  if (last.value() < range.largest * (1.0 - 1e-12)) last = last.next();
  if (last.value() <= first.value()) last = first.next();
  PlotAxis axis{.logarithmic = true, .from = first.value(), .to = last.value(), .ticks = {}};
  const double decades = std::log10(axis.to / axis.from);
  const int every = std::max(1, static_cast<int>(std::ceil(decades / 8.0)));
  for (auto tick = first; tick.value() <= axis.to * (1.0 + 1e-12); tick = tick.next()) {
    const bool whole_decade = tick.digit == 1 && tick.power % every == 0;
    if (decades <= 2.3 || whole_decade)
      axis.ticks.push_back({tick.value(), label_of(tick.value(), -tick.power)});
  }
  return axis;
}

/// A little room on both sides of the values.
AxisRange widened(const AxisRange& range, bool logarithmic) {
  constexpr double share = 0.03;
  if (logarithmic) {
    const double factor = std::pow(range.largest / range.least, share);
    return {range.least / factor, range.largest * factor};
  }
  const double room = share * (range.largest - range.least);
  const double from = range.least - room;
  return {range.least >= 0.0 ? std::max(0.0, from) : from, range.largest + room};
}

std::vector<PlotTick> ticks_within(std::vector<PlotTick> ticks, const AxisRange& range) {
  std::erase_if(ticks, [&](const PlotTick& tick) {
    return tick.value < range.least || tick.value > range.largest;
  });
  return ticks;
}

}  // namespace

double PlotAxis::place(double value) const {
  const double part =
      logarithmic ? std::log(value / from) / std::log(to / from) : (value - from) / (to - from);
  return std::clamp(part, 0.0, 1.0);
}

PlotAxis plot_axis(const std::vector<double>& values, bool logarithmic) {
  const auto range = range_of(values, logarithmic);
  return logarithmic ? logarithmic_axis(range) : linear_axis(range);
}

PlotAxis data_axis(const std::vector<double>& values, bool logarithmic) {
  auto axis = plot_axis(values, logarithmic);
  const auto range = range_of(values, logarithmic);
  const auto room = widened(range, logarithmic);
  auto ticks = ticks_within(axis.ticks, room);
  if (ticks.size() < 3 && logarithmic)  // a range too small for 1, 2 and 5
    ticks = ticks_within(linear_axis(range).ticks, room);
  if (ticks.size() < 2) return axis;
  return {.logarithmic = logarithmic, .from = room.least, .to = room.largest, .ticks = ticks};
}

}  // namespace dragoman
