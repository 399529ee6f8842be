#include "dragoman/report/svg_plot.h"

#include "dragoman/core/concat.h"
#include "dragoman/report/svg_frame.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dragoman {

namespace {

void expect_sizes(const PlotSeries& series) {
  const auto size = series.y.size();
  if (series.x.size() != size || (!series.error.empty() && series.error.size() != size))
    throw std::invalid_argument(concat("plot: series \"", series.name, "\" has ", series.x.size(),
                                       " x, ", size, " y and ", series.error.size(),
                                       " errors; give as many of each"));
}

/// Both ends of a point's error bar, or the point.
void add_extent(const PlotSeries& series, std::size_t i, bool logarithmic,
                std::vector<double>& values) {
  values.push_back(series.y[i]);
  if (series.error.empty() || std::isnan(series.error[i])) return;
  values.push_back(series.y[i] + series.error[i]);
  const double low = series.y[i] - series.error[i];
  if (!logarithmic || low > 0.0) values.push_back(low);  // else the bar ends at the axis
}

PlotAxis y_axis_of(const Plot& plot) {
  std::vector<double> values;
  for (const auto& series : plot.series)
    for (std::size_t i = 0; i < series.y.size(); ++i) add_extent(series, i, plot.log_y, values);
  return data_axis(values, plot.log_y);
}

PlotAxis x_axis_of(const Plot& plot) {
  std::vector<double> values;
  for (const auto& series : plot.series)
    for (const double x : series.x) {
      if (std::isnan(x)) throw std::invalid_argument("plot: an x is not a number; leave it out");
      values.push_back(x);
    }
  return data_axis(values, plot.log_x);
}

std::string drawn_x_axis(const SvgFrame& frame, const PlotAxis& x) {
  std::string svg;
  for (const auto& tick : x.ticks) {
    const auto at = svg_length(frame.x_of(x.place(tick.value)));
    svg += concat("<path class=\"dg-grid\" d=\"M", at, " ", svg_length(frame.top), "V",
                  svg_length(frame.bottom), "\"/>\n<text x=\"", at, "\" y=\"",
                  svg_length(frame.bottom + 18.0), "\" text-anchor=\"middle\">", tick.label,
                  "</text>\n");
  }
  return svg + concat("<path class=\"dg-axis\" fill=\"none\" d=\"M", svg_length(frame.left), " ",
                      svg_length(frame.top), "V", svg_length(frame.bottom), "H",
                      svg_length(frame.right), "\"/>\n");
}

std::string note_of(const PlotSeries& series, std::size_t i) {
  auto note = concat(series.name, series.name.empty() ? "" : ": ", svg_value(series.x[i]), ", ",
                     svg_value(series.y[i]));
  if (!series.error.empty() && !std::isnan(series.error[i]))
    note += " ± " + svg_value(series.error[i]);
  return note;
}

std::string drawn_series(const SvgFrame& frame, const PlotAxis& x, const PlotSeries& series,
                         std::size_t index) {
  std::string line, marks, errors;
  bool joined = false;
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (std::isnan(series.y[i])) {
      joined = false;
      continue;
    }
    const double left = frame.x_of(x.place(series.x[i])), top = frame.y_of(series.y[i]);
    line += concat(joined ? "L" : "M", svg_length(left), " ", svg_length(top));
    joined = true;
    marks += series_marker(index, left, top, note_of(series, i)) + '\n';
    if (!series.error.empty() && !std::isnan(series.error[i])) {
      const double low = series.y[i] - series.error[i];
      errors += error_bar(left, low > 0.0 || !frame.y.logarithmic ? frame.y_of(low) : frame.bottom,
                          frame.y_of(series.y[i] + series.error[i]));
    }
  }
  return concat("<g class=\"", series_class(index), "\">\n<path class=\"dg-line\" d=\"", line,
                "\"/>\n", errors, marks, "</g>\n");
}

/// Where a line ends, and where its name stands.
struct LineEnd {
  std::size_t series;
  double x, y;
  double name_y;
};

/// Moves names apart that would cover each other, and back up where they would leave the field.
void spread(std::vector<LineEnd>& ends, double bottom) {
  constexpr double apart = 15.0;
  std::stable_sort(ends.begin(), ends.end(),
                   [](const LineEnd& a, const LineEnd& b) { return a.y < b.y; });
  for (std::size_t i = 1; i < ends.size(); ++i)
    ends[i].name_y = std::max(ends[i].name_y, ends[i - 1].name_y + apart);
  double lowest = bottom;
  for (auto end = ends.rbegin(); end != ends.rend(); ++end, lowest -= apart)
    end->name_y = std::min(end->name_y, lowest);
}

/// The names of the lines at their ends, each in the line's colour and joined with it.
std::string drawn_names(const SvgFrame& frame, const PlotAxis& x, const Plot& plot) {
  std::vector<LineEnd> ends;
  for (std::size_t i = 0; i < plot.series.size(); ++i) {
    const auto& series = plot.series[i];
    auto last = series.y.size();
    while (last > 0 && std::isnan(series.y[last - 1])) --last;
    if (series.name.empty() || last == 0) continue;
    const double y = frame.y_of(series.y[last - 1]);
    ends.push_back({i, frame.x_of(x.place(series.x[last - 1])), y, y});
  }
  spread(ends, frame.bottom);
  std::string svg;
  for (const auto& end : ends)
    svg +=
        concat("<g class=\"", series_class(end.series), "\"><path class=\"dg-lead\" d=\"M",
               svg_length(end.x + 6.0), " ", svg_length(end.y), "L", svg_length(frame.right + 8.0),
               " ", svg_length(end.name_y), "\"/><text class=\"dg-name\" x=\"",
               svg_length(frame.right + 12.0), "\" y=\"", svg_length(end.name_y + 4.0), "\">",
               svg_escaped(plot.series[end.series].name), "</text></g>\n");
  return svg;
}

}  // namespace

PlotSeries thinned(PlotSeries series) {
  constexpr std::size_t most_points = 120;
  const auto together = (series.x.size() + most_points - 1) / most_points;
  if (together <= 1) return series;
  PlotSeries means{.name = series.name, .x = {}, .y = {}};
  for (std::size_t i = 0; i < series.x.size(); i += together) {
    const auto count = std::min(together, series.x.size() - i);
    double x = 0.0, y = 0.0;
    for (std::size_t k = i; k < i + count; ++k) x += series.x[k], y += series.y[k];
    means.x.push_back(x / static_cast<double>(count));
    means.y.push_back(y / static_cast<double>(count));
  }
  return means;
}

std::string svg_plot(const Plot& plot) {
  for (const auto& series : plot.series) expect_sizes(series);
  SvgFrame frame{.title = plot.title,
                 .x_label = plot.x_label,
                 .y_label = plot.y_label,
                 .y = y_axis_of(plot),
                 .names = {},
                 .names_at_lines = true};
  for (const auto& series : plot.series) frame.names.push_back(series.name);
  lay_out(frame);
  const auto x = x_axis_of(plot);
  auto content = drawn_x_axis(frame, x);
  for (std::size_t i = 0; i < plot.series.size(); ++i)
    content += drawn_series(frame, x, plot.series[i], i);
  return svg_document(frame, content + drawn_names(frame, x, plot));
}

}  // namespace dragoman
