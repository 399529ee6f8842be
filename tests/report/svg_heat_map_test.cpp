#include "dragoman/report/svg_heat_map.h"

#include "support/catch.h"
#include "support/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace svg_heat_map_test {

using namespace dragoman;

namespace {

HeatMap small_map() {
  return {.title = "Attention",
          .rows = {"Ein", "Haus"},
          .columns = {"a", "house", "<end>"},
          .values = {0.9, 0.098, 0.002, 0.25, 0.75, 0.0}};
}

using Colour = std::array<double, 3>;  ///< red, green, blue, 0 to 255

/// The colour that `text` sets by `name`, such as "--cell".
Colour colour_in(const std::string& text, const std::string& name) {
  const auto at = text.find(name + ":#");
  REQUIRE(at != std::string::npos);
  Colour colour{};
  for (std::size_t i = 0; i < 3; ++i)
    colour[i] = std::stoi(text.substr(at + name.size() + 2 + 2 * i, 2), nullptr, 16);
  return colour;
}

/// Relative luminance, as WCAG 2 defines it.
double luminance(const Colour& colour) {
  constexpr std::array weights = {0.2126, 0.7152, 0.0722};
  double sum = 0.0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double share = colour[i] / 255.0;
    sum += weights[i] * (share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(const Colour& one, const Colour& other) {
  const auto [dark, light] = std::minmax({luminance(one), luminance(other)});
  return (light + 0.05) / (dark + 0.05);
}

/// What the colours of `style` give the number of a cell of `value`, whose class is `level`.
double contrast_of_number(const std::string& style, double value, const std::string& level) {
  auto back = colour_in(style, "--paper");
  const auto cell = colour_in(style, "--cell");
  for (std::size_t i = 0; i < 3; ++i) back[i] += value * (cell[i] - back[i]);
  return contrast(back, colour_in(style, "--over-" + level));
}

}  // namespace

TEST_CASE("a heat map has a cell for each value that can be seen, with names and value", "[unit]") {
  const auto svg = svg_heat_map(small_map());
  CHECK(test::times_in(svg, "<rect ") == 4);
  CHECK_THAT(svg, test::contains("fill-opacity=\"0.90\"><title>Ein from a: 0.90</title>"));
  CHECK_THAT(svg, test::contains("<title>Haus from house: 0.75</title>"));
  CHECK(svg.find("&lt;end&gt;: ") == std::string::npos);  // both are too small
}

TEST_CASE("large values of a heat map are written as numbers, too", "[unit]") {
  const auto svg = svg_heat_map(small_map());
  CHECK(test::times_in(svg, "class=\"dg-cell") == 3);
  for (const char* number : {">90</text>", ">25</text>", ">75</text>"})
    CHECK_THAT(svg, test::contains(number));
}

TEST_CASE("numbers of a heat map can be read on cells of each shade, light and dark", "[unit]") {
  for (int percent = 10; percent <= 100; ++percent) {
    CAPTURE(percent);
    const double value = percent / 100.0;
    const auto svg =
        svg_heat_map({.title = "", .rows = {"a"}, .columns = {"b"}, .values = {value}});
    const std::string level = svg.find("dg-cell dg-low\"") != std::string::npos   ? "low"
                              : svg.find("dg-cell dg-mid\"") != std::string::npos ? "mid"
                                                                                  : "high";
    REQUIRE(svg.find("dg-cell dg-" + level + '"') != std::string::npos);
    const auto dark = svg.find("@media (prefers-color-scheme:dark)");
    REQUIRE(dark != std::string::npos);
    CHECK(contrast_of_number(svg.substr(0, dark), value, level) >= 4.5);
    CHECK(contrast_of_number(svg.substr(dark), value, level) >= 4.5);
  }
}

TEST_CASE("no text of a heat map becomes markup, and it needs nothing else", "[unit]") {
  auto map = small_map();
  map.title = map.rows[0] = map.columns[0] = "</svg><script>&\"";
  const auto svg = svg_heat_map(map);
  CHECK(svg.find("<script") == std::string::npos);
  CHECK(test::times_in(svg, "</svg>") == 1);
  for (const char* part : {"href", "src=", "url("}) CHECK(svg.find(part) == std::string::npos);
  CHECK(svg == svg_heat_map(map));
}

TEST_CASE("a heat map with a missing value is refused", "[unit]") {
  auto map = small_map();
  map.values.pop_back();
  CHECK_THROWS_AS(svg_heat_map(map), std::invalid_argument);
}

}  // namespace svg_heat_map_test
