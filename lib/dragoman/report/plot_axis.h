#pragma once

#include <string>
#include <vector>

namespace dragoman {

/// A labelled number on an axis.
struct PlotTick {
  double value = 0.0;
  std::string label;
};

/// One axis of a picture: which numbers it shows, and its round ticks (1, 2 or 5 times a power of
/// ten), lowest first.
struct PlotAxis {
  bool logarithmic = false;
  double from = 0.0;
  double to = 1.0;
  std::vector<PlotTick> ticks;

  /// The position of `value`: 0 at the start of the axis, 1 at its end, never outside.
  double place(double value) const;
};

/// An axis over all of `values`, widened to round numbers; NaN does not count, and without a value
/// it goes from 0 to 1 (logarithmic: 1 to 10).
/// \throws std::invalid_argument if a value is infinite, beyond 1e300 or, where `logarithmic`, not
///     positive.
PlotAxis plot_axis(const std::vector<double>& values, bool logarithmic);

/// An axis that begins and ends where the values do, 3 % of their range apart from its ends, with
/// the round ticks that lie within it; as `plot_axis` where fewer than two do. It does not go below
/// 0 for the sake of that distance.
/// \throws std::invalid_argument as `plot_axis` does
PlotAxis data_axis(const std::vector<double>& values, bool logarithmic);

}  // namespace dragoman
