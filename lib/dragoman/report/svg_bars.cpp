#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/svg_frame.h"
#include "dragoman/report/svg_plot.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace dragoman {

namespace {

constexpr double group_share = 0.8;  ///< of a category's room that its bars take
constexpr double slope = 30.0;       ///< degrees of labels that are too long to lie

void expect_bars(const BarChart& chart) {
  for (const auto& series : chart.series)
    if (series.y.size() != chart.categories.size() ||
        (!series.error.empty() && series.error.size() != series.y.size()))
      throw std::invalid_argument(concat("bar chart: series \"", series.name, "\" has ",
                                         series.y.size(), " numbers and ", series.error.size(),
                                         " errors for ", chart.categories.size(),
                                         " categories; give one for each"));
}

PlotAxis bar_axis(const BarChart& chart) {
  std::vector<double> values = {0.0};
  for (const auto& series : chart.series)
    for (std::size_t i = 0; i < series.y.size(); ++i) {
      const double error =
          series.error.empty() || std::isnan(series.error[i]) ? 0.0 : series.error[i];
      values.push_back(series.y[i] - error);
      values.push_back(series.y[i] + error);
    }
  return plot_axis(values, false);
}

double widest_category(const BarChart& chart) {
  double widest = 0.0;
  for (const auto& name : chart.categories) widest = std::max(widest, svg_text_width(name));
  return widest;
}

/// Names under the bars: level where there is room, else sloping.
std::string category_names(const SvgFrame& frame, const BarChart& chart, bool level) {
  std::string svg;
  const auto count = static_cast<double>(chart.categories.size());
  for (std::size_t i = 0; i < chart.categories.size(); ++i) {
    const auto x = svg_length(frame.x_of((static_cast<double>(i) + 0.5) / count));
    const auto y = svg_length(frame.bottom + (level ? 18.0 : 14.0));
    svg +=
        concat("<text x=\"", x, "\" y=\"", y, "\" text-anchor=\"", level ? "middle" : "end", "\"");
    if (!level) svg += concat(" transform=\"rotate(-", slope, " ", x, " ", y, ")\"");
    svg += concat(">", svg_escaped(chart.categories[i]), "</text>\n");
  }
  return svg;
}

/// One bar from 0 to its number, with its error bar.
std::string drawn_bar(const SvgFrame& frame, const PlotSeries& series, std::size_t i, double left,
                      double width, const std::string& note) {
  const double value = frame.y_of(series.y[i]), zero = frame.y_of(0.0);
  auto svg = concat("<rect class=\"dg-mark\" x=\"", svg_length(left), "\" y=\"",
                    svg_length(std::min(value, zero)), "\" width=\"", svg_length(width),
                    "\" height=\"", svg_length(std::abs(value - zero)), "\"><title>",
                    svg_escaped(note), "</title></rect>\n");
  if (!series.error.empty() && !std::isnan(series.error[i]))
    svg += error_bar(left + width / 2.0, frame.y_of(series.y[i] - series.error[i]),
                     frame.y_of(series.y[i] + series.error[i]));
  return svg;
}

/// The number over a bar, to three digits, where nothing else is there.
std::string bar_value(const SvgFrame& frame, const PlotSeries& series, std::size_t i,
                      double middle) {
  const double error = series.error.empty() || std::isnan(series.error[i]) ? 0.0 : series.error[i];
  const double size = std::abs(series.y[i]);
  const int digits = size >= 100.0 ? 0 : size >= 10.0 ? 1 : size >= 1.0 ? 2 : 3;
  const bool is_tiny = size > 0.0 && size < 5e-4;
  const auto text = is_tiny ? svg_value(series.y[i]) : decimal(series.y[i], digits);
  return concat("<text class=\"dg-value\" x=\"", svg_length(middle), "\" y=\"",
                svg_length(frame.y_of(std::max(0.0, series.y[i] + error)) - 5.0),
                "\" text-anchor=\"middle\">", text, "</text>\n");
}

std::string note_of_bar(const BarChart& chart, const PlotSeries& series, std::size_t i) {
  auto note = concat(series.name, series.name.empty() ? "" : ", ", chart.categories[i], ": ",
                     svg_value(series.y[i]));
  if (!series.error.empty() && !std::isnan(series.error[i]))
    note += " ± " + svg_value(series.error[i]);
  return note;
}

std::string drawn_bars(const SvgFrame& frame, const BarChart& chart, std::size_t index) {
  const double room = (frame.right - frame.left) / static_cast<double>(chart.categories.size());
  const double width = room * group_share / static_cast<double>(chart.series.size());
  const auto& series = chart.series[index];
  std::string svg = concat("<g class=\"", series_class(index), "\">\n");
  for (std::size_t i = 0; i < series.y.size(); ++i) {
    if (std::isnan(series.y[i])) continue;
    const double left = frame.left + room * (static_cast<double>(i) + (1.0 - group_share) / 2.0) +
                        width * static_cast<double>(index);
    svg += drawn_bar(frame, series, i, left, width, note_of_bar(chart, series, i));
    if (chart.series.size() == 1) svg += bar_value(frame, series, i, left + width / 2.0);
  }
  return svg + "</g>\n";
}

}  // namespace

std::string svg_bars(const BarChart& chart) {
  expect_bars(chart);
  SvgFrame frame{.title = chart.title,
                 .x_label = {},
                 .y_label = chart.y_label,
                 .y = bar_axis(chart),
                 .names = {}};
  for (const auto& series : chart.series) frame.names.push_back(series.name);
  lay_out(frame);
  const double widest = widest_category(chart);
  const double room = (frame.right - frame.left) / static_cast<double>(chart.categories.size());
  const bool level = 1.1 * widest < room;
  constexpr double angle = slope * std::numbers::pi / 180.0;
  if (!level)
    lay_out(frame, {.below = 28.0 + widest * std::sin(angle),
                    .before = widest * std::cos(angle) - room / 2.0});
  std::string content = category_names(frame, chart, level);
  for (std::size_t i = 0; i < chart.series.size(); ++i) content += drawn_bars(frame, chart, i);
  content += concat("<path class=\"dg-axis\" d=\"M", svg_length(frame.left), " ",
                    svg_length(frame.y_of(0.0)), "H", svg_length(frame.right), "\"/>\n");
  return svg_document(frame, content);
}

}  // namespace dragoman
