#pragma once

#include <string>
#include <vector>

namespace dragoman {

/// Points of one line, or the bars of one colour.
struct PlotSeries {
  std::string name;                ///< at the line's end; for bars in the legend; empty = not shown
  std::vector<double> x, y;        ///< in the order in which they are joined; NaN in `y` is a gap
  std::vector<double> error = {};  ///< half height of each error bar; empty = none
};

/// Lines over two axes, which begin and end where the data do; each line has its name at its end.
struct Plot {
  std::string title, x_label, y_label;
  bool log_x = false, log_y = false;
  std::vector<PlotSeries> series;
};

/// Bars side by side over names.
struct BarChart {
  std::string title, y_label;
  std::vector<std::string> categories;
  std::vector<PlotSeries> series;  ///< `y` by category; `x` is not read
};

/// A curve with at most 120 points: means of so many neighbours, without their error bars.
PlotSeries thinned(PlotSeries series);

/// The picture as one <svg> element that needs nothing else: its style is in it, for light and dark
/// screens, colours can be distinguished by colour-blind people and by markers too, numbers show
/// under the pointer, no text in it can become markup. The same plot gives the same bytes.
/// \throws std::invalid_argument if `x`, `y` and `error` of a series differ in size, or if a number
///     is infinite or, on a logarithmic axis, not positive.
std::string svg_plot(const Plot& plot);

/// The same for bars, which start at 0.
/// \throws std::invalid_argument if `y` of a series has not one number for each category.
std::string svg_bars(const BarChart& chart);

}  // namespace dragoman
