#pragma once

#include "dragoman/report/plot_axis.h"

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// What lines and bars have in common: the frame around them.
struct SvgFrame {
  std::string title, x_label, y_label;
  PlotAxis y;
  std::vector<std::string> names;  ///< of the series
  bool names_at_lines = false;     ///< the content has them; else there is a legend

  double left = 0.0, top = 0.0, right = 0.0, bottom = 0.0;  ///< the field of the data, in pixels
  double width = 0.0, height = 0.0;                         ///< of the whole picture

  double x_of(double place) const { return left + place * (right - left); }
  double y_of(double value) const { return bottom - y.place(value) * (bottom - top); }
};

/// Room in pixels for the labels of the x axis.
struct LabelRoom {
  double below = 24.0;  ///< under the axis
  double before = 0.0;  ///< to the left of the axis
};

/// Sets the sizes so that all labels have room.
void lay_out(SvgFrame& frame, const LabelRoom& room = {});

/// The whole picture: background, title, y axis, a legend where there is one, and in it `content`.
std::string svg_document(const SvgFrame& frame, const std::string& content);

/// Text that can stand in an element or in an attribute.
std::string svg_escaped(std::string_view text);

/// A length in pixels, to a tenth.
std::string svg_length(double pixels);

/// A number in readable form, to five digits.
std::string svg_value(double value);

/// Width in pixels that `text` takes at 12 pixels' height, about.
double svg_text_width(std::string_view text);

/// Class of the group of series `index`: its colour, and a dashed line when colours are repeated.
std::string series_class(std::size_t index);

/// The mark of series `index` at a place: five shapes in turn. \param note shown under the pointer
std::string series_marker(std::size_t index, double x, double y, const std::string& note);

/// An error bar from `low` to `high` (in pixels from above).
std::string error_bar(double x, double low, double high);

}  // namespace dragoman
