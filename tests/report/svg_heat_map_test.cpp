#include "dragoman/report/svg_heat_map.h"

#include "support/catch.h"
#include "support/text.h"

#include <stdexcept>

namespace svg_heat_map_test {

using namespace dragoman;

namespace {

HeatMap small_map() {
  return {.title = "Attention",
          .rows = {"Ein", "Haus"},
          .columns = {"a", "house", "<end>"},
          .values = {0.9, 0.098, 0.002, 0.25, 0.75, 0.0}};
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
