#include "dragoman/report/svg_heat_map.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/svg_frame.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace dragoman {

namespace {

constexpr double cell_size = 24.0;        ///< pixels
constexpr double smallest_shown = 0.005;  ///< smaller ones would be shades that nobody sees
constexpr double smallest_written = 0.1;
constexpr std::size_t widest_label = 18;  ///< columns of text

// Where the number of a cell turns from black to white on light screens, and from white to black on
// dark ones, so that its contrast to the cell is 4.5:1 or more (WCAG 2, success criterion 1.4.3).
constexpr double high_value = 0.925;
constexpr double middle_value = 0.615;

/// The map has paper of its own, because the contrast of its numbers depends on it.
constexpr const char* heat_style = R"(<style>
.dg-heat{--paper:#f7f8fa;--ink:#222222;--cell:#0072b2;--over-low:#000000;--over-mid:#000000;--over-high:#ffffff;--faint:#d9d9d9;font:12px system-ui,sans-serif}
.dg-heat text{fill:var(--ink)}
.dg-heat rect{fill:var(--cell)}
.dg-heat path{fill:var(--paper);stroke:var(--faint);stroke-width:1}
.dg-heat .dg-cell{font-size:11px;text-anchor:middle}
.dg-heat .dg-low{fill:var(--over-low)}
.dg-heat .dg-mid{fill:var(--over-mid)}
.dg-heat .dg-high{fill:var(--over-high)}
@media (prefers-color-scheme:dark){
.dg-heat{--paper:#1d2129;--ink:#e4e4e7;--cell:#56b4e9;--over-low:#ffffff;--over-mid:#000000;--over-high:#000000;--faint:#3a3b42}
}
</style>
)";

struct HeatFrame {
  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0, width = 0.0;
};

std::string shown_label(const std::string& label) { return cut_to_width(label, widest_label); }

double widest_of(const std::vector<std::string>& labels) {
  double widest = 0.0;
  for (const auto& label : labels) widest = std::max(widest, svg_text_width(shown_label(label)));
  return widest;
}

/// Names of columns sloping by 60 degrees.
HeatFrame frame_of(const HeatMap& map) {
  const double sloping = widest_of(map.columns);
  HeatFrame frame{.left = 12.0 + widest_of(map.rows), .top = 16.0 + 0.87 * sloping};
  frame.right = frame.left + cell_size * static_cast<double>(map.columns.size());
  frame.bottom = frame.top + cell_size * static_cast<double>(map.rows.size());
  frame.width = frame.right + 12.0 + 0.5 * sloping;
  return frame;
}

std::string heat_labels(const HeatMap& map, const HeatFrame& frame) {
  std::string svg;
  for (std::size_t j = 0; j < map.columns.size(); ++j) {
    const auto x = svg_length(frame.left + cell_size * (static_cast<double>(j) + 0.6));
    const auto y = svg_length(frame.top - 6.0);
    svg += concat("<text x=\"", x, "\" y=\"", y, "\" transform=\"rotate(-60 ", x, " ", y, ")\">",
                  svg_escaped(shown_label(map.columns[j])), "</text>\n");
  }
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    svg += concat("<text text-anchor=\"end\" x=\"", svg_length(frame.left - 6.0), "\" y=\"",
                  svg_length(frame.top + cell_size * static_cast<double>(i) + 16.0), "\">",
                  svg_escaped(shown_label(map.rows[i])), "</text>\n");
  return svg;
}

std::string heat_grid(const HeatMap& map, const HeatFrame& frame) {
  auto path =
      concat("M", svg_length(frame.left), " ", svg_length(frame.top), "H", svg_length(frame.right),
             "V", svg_length(frame.bottom), "H", svg_length(frame.left), "Z");
  for (std::size_t i = 0; i <= map.rows.size(); ++i)
    path += concat("M", svg_length(frame.left), " ",
                   svg_length(frame.top + cell_size * static_cast<double>(i)), "H",
                   svg_length(frame.right));
  for (std::size_t j = 0; j <= map.columns.size(); ++j)
    path += concat("M", svg_length(frame.left + cell_size * static_cast<double>(j)), " ",
                   svg_length(frame.top), "V", svg_length(frame.bottom));
  return concat("<path d=\"", path, "\"/>\n");
}

const char* number_class(double value) {
  return value >= high_value     ? "dg-cell dg-high"
         : value >= middle_value ? "dg-cell dg-mid"
                                 : "dg-cell dg-low";
}

std::string heat_cell(const HeatMap& map, const HeatFrame& frame, std::size_t i, std::size_t j) {
  const double value = map.values[i * map.columns.size() + j];
  if (!(value >= smallest_shown)) return {};
  const double x = frame.left + cell_size * static_cast<double>(j);
  const double y = frame.top + cell_size * static_cast<double>(i);
  auto svg = concat("<rect x=\"", svg_length(x), "\" y=\"", svg_length(y), "\" width=\"",
                    svg_length(cell_size), "\" height=\"", svg_length(cell_size),
                    "\" fill-opacity=\"", decimal(std::min(value, 1.0), 2), "\"><title>",
                    svg_escaped(concat(map.rows[i], " from ", map.columns[j])), ": ",
                    decimal(value, 2), "</title></rect>\n");
  if (value >= smallest_written)
    svg += concat("<text class=\"", number_class(value), "\" x=\"", svg_length(x + cell_size / 2.0),
                  "\" y=\"", svg_length(y + 16.0), "\">", std::lround(100.0 * value), "</text>\n");
  return svg;
}

}  // namespace

std::string svg_heat_map(const HeatMap& map) {
  if (map.values.size() != map.rows.size() * map.columns.size())
    throw std::invalid_argument(concat("heat map: has ", map.values.size(), " values for ",
                                       map.rows.size(), " rows of ", map.columns.size()));
  const auto frame = frame_of(map);
  const auto width = svg_length(frame.width), height = svg_length(frame.bottom + 4.0);
  std::string svg = concat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dg-heat\" role=\"img\" aria-label=\"",
      svg_escaped(map.title), "\" width=\"", width, "\" height=\"", height, "\" viewBox=\"0 0 ",
      width, " ", height, "\">\n", heat_style, heat_grid(map, frame));
  for (std::size_t i = 0; i < map.rows.size(); ++i)
    for (std::size_t j = 0; j < map.columns.size(); ++j) svg += heat_cell(map, frame, i, j);
  return svg + heat_labels(map, frame) + "</svg>\n";
}

}  // namespace dragoman
