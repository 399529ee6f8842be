#include "dragoman/report/svg_frame.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/display_width.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace dragoman {

namespace {

constexpr double field_width = 560.0;
constexpr double field_height = 330.0;
constexpr double legend_line = 20.0;
constexpr std::size_t colours = 6;

/// Colours of Okabe and Ito, darker for white paper and lighter for a dark screen.
constexpr const char* style = R"(<style>
.dg-plot{--paper:#ffffff;--ink:#222222;--faint:#d9d9d9;max-width:100%;height:auto;font:12px system-ui,sans-serif}
.dg-plot text{fill:var(--ink)}
.dg-plot .dg-title{font-size:15px;font-weight:600}
.dg-plot .dg-paper{fill:var(--paper)}
.dg-plot .dg-grid{stroke:var(--faint);stroke-width:1}
.dg-plot .dg-axis{stroke:var(--ink);stroke-width:1}
.dg-plot .dg-line{fill:none;stroke:currentColor;stroke-width:2;stroke-linejoin:round}
.dg-plot .dg-name{font-weight:600}
.dg-plot .dg-lead{fill:none;stroke:currentColor;stroke-width:1;stroke-opacity:.6}
.dg-plot .dg-value{font-size:11px}
.dg-plot .dg-again .dg-line{stroke-dasharray:6 4}
.dg-plot .dg-mark{fill:currentColor;stroke:var(--paper);stroke-width:1}
.dg-plot .dg-again rect.dg-mark{fill-opacity:.55}
.dg-plot .dg-error{fill:none;stroke:var(--ink);stroke-width:1.2}
.dg-0{color:#0072b2}.dg-1{color:#d55e00}.dg-2{color:#008f68}.dg-3{color:#b8609a}.dg-4{color:#b27b00}.dg-5{color:#555555}
@media (prefers-color-scheme:dark){
.dg-plot{--paper:#17181c;--ink:#e4e4e7;--faint:#3a3b42}
.dg-0{color:#56b4e9}.dg-1{color:#ff8a4c}.dg-2{color:#2fc79a}.dg-3{color:#e29fc8}.dg-4{color:#f0b429}.dg-5{color:#b8b8bd}
}
</style>
)";

std::string text_at(double x, double y, std::string_view anchor, std::string_view text,
                    std::string_view more = {}) {
  return concat("<text x=\"", svg_length(x), "\" y=\"", svg_length(y), "\" text-anchor=\"", anchor,
                "\"", more, ">", svg_escaped(text), "</text>\n");
}

std::string y_axis(const SvgFrame& frame) {
  std::string svg;
  for (const auto& tick : frame.y.ticks) {
    const auto y = frame.y_of(tick.value);
    svg += concat("<path class=\"dg-grid\" d=\"M", svg_length(frame.left), " ", svg_length(y), "H",
                  svg_length(frame.right), "\"/>\n");
    svg += text_at(frame.left - 8.0, y + 4.0, "end", tick.label);
  }
  const auto middle = svg_length((frame.top + frame.bottom) / 2.0);
  svg += text_at(16.0, (frame.top + frame.bottom) / 2.0, "middle", frame.y_label,
                 concat(" transform=\"rotate(-90 16.0 ", middle, ")\""));
  return svg;
}

std::string legend(const SvgFrame& frame) {
  std::string svg;
  double y = frame.top + 8.0;
  for (std::size_t i = 0; i < frame.names.size(); ++i) {
    if (frame.names[i].empty()) continue;
    const double x = frame.right + 20.0;
    svg += concat("<g class=\"", series_class(i), "\"><path class=\"dg-line\" d=\"M", svg_length(x),
                  " ", svg_length(y), "h24\"/>", series_marker(i, x + 12.0, y, ""), "</g>\n",
                  text_at(x + 32.0, y + 4.0, "start", frame.names[i]));
    y += legend_line;
  }
  return svg;
}

double legend_width(const SvgFrame& frame) {
  double widest = 0.0;
  for (const auto& name : frame.names)
    if (!name.empty())
      widest = std::max(widest, (frame.names_at_lines ? 16.0 : 56.0) + svg_text_width(name));
  return widest;
}

}  // namespace

void lay_out(SvgFrame& frame, const LabelRoom& room) {
  double labels = 0.0;
  for (const auto& tick : frame.y.ticks) labels = std::max(labels, svg_text_width(tick.label));
  frame.left = std::max(36.0 + labels, room.before);
  frame.top = 44.0;
  frame.right = frame.left + field_width;
  const auto names = frame.names.size() - static_cast<std::size_t>(std::count(
                                              frame.names.begin(), frame.names.end(), ""));
  frame.bottom = frame.top + std::max(field_height, legend_line * static_cast<double>(names));
  const double title = 1.3 * svg_text_width(frame.title) + 24.0;
  frame.width = std::max(frame.right + 20.0 + legend_width(frame), title);
  frame.height = frame.bottom + room.below + (frame.x_label.empty() ? 10.0 : 28.0);
}

std::string svg_document(const SvgFrame& frame, const std::string& content) {
  const auto width = svg_length(frame.width), height = svg_length(frame.height);
  const auto title = svg_escaped(frame.title);
  std::string svg = concat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"dg-plot\" role=\"img\" aria-label=\"",
      title, "\" width=\"", width, "\" height=\"", height, "\" viewBox=\"0 0 ", width, " ", height,
      "\">\n", style, "<rect class=\"dg-paper\" width=\"", width, "\" height=\"", height, "\"/>\n");
  svg += text_at(12.0, 24.0, "start", frame.title, " class=\"dg-title\"");
  svg += y_axis(frame);
  svg += content;
  svg += text_at((frame.left + frame.right) / 2.0, frame.height - 12.0, "middle", frame.x_label);
  return svg + (frame.names_at_lines ? "" : legend(frame)) + "</svg>\n";
}

std::string svg_escaped(std::string_view text) {
  std::string escaped;
  for (const char32_t c : utf8::decode_all(text)) {
    if (c == U'<')
      escaped += "&lt;";
    else if (c == U'>')
      escaped += "&gt;";
    else if (c == U'&')
      escaped += "&amp;";
    else if (c == U'"')
      escaped += "&quot;";
    else
      utf8::append(escaped, c < 0x20 || c == 0xFFFE || c == 0xFFFF ? U' ' : c);  // not XML
  }
  return escaped;
}

std::string svg_length(double pixels) { return decimal(pixels, 1); }

std::string svg_value(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 5);
  return {text, end.ptr};
}

double svg_text_width(std::string_view text) {
  return 6.8 * static_cast<double>(display_width(text));
}

std::string series_class(std::size_t index) {
  return concat("dg-", index % colours, index < colours ? "" : " dg-again");
}

std::string series_marker(std::size_t index, double x, double y, const std::string& note) {
  constexpr std::array shapes = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "m-4 -4h8v8h-8z",
                                 "m0 -5l5 9h-10z", "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z",
                                 "m0 5l5 -9h-10z"};
  return concat("<path class=\"dg-mark\" d=\"M", svg_length(x), " ", svg_length(y),
                shapes[index % shapes.size()], "\">", note.empty() ? "" : "<title>",
                svg_escaped(note), note.empty() ? "" : "</title>", "</path>");
}

std::string error_bar(double x, double low, double high) {
  return concat("<path class=\"dg-error\" d=\"M", svg_length(x), " ", svg_length(low), "V",
                svg_length(high), "m-4 0h8M", svg_length(x - 4.0), " ", svg_length(low),
                "h8\"/>\n");
}

}  // namespace dragoman
