#include "dragoman/report/svg_plot.h"

#include "support/catch.h"
#include "support/text.h"

#include <algorithm>
#include <cmath>
#include <regex>
#include <stdexcept>

namespace svg_plot_test {

using namespace dragoman;

namespace {

Plot two_lines() {
  return {
      .title = "Time by length",
      .x_label = "length",
      .y_label = "seconds",
      .log_x = true,
      .log_y = true,
      .series = {{.name = "full", .x = {100, 200, 400}, .y = {1, 4, 16}},
                 {.name = "local", .x = {100, 200, 400}, .y = {2, 4, 8}, .error = {0.5, 1, 9}}}};
}

/// The numbers of the first group of `pattern`, in order.
std::vector<double> numbers_in(const std::string& text, const std::string& pattern) {
  const std::regex wanted(pattern);
  std::vector<double> numbers;
  for (std::sregex_iterator it(text.begin(), text.end(), wanted), end; it != end; ++it)
    numbers.push_back(std::stod((*it)[1]));
  return numbers;
}

/// Whether each element that begins also ends, in order.
bool is_balanced(const std::string& svg) {
  const std::regex tag("<(/?)([a-z]+)[^>]*?(/?)>");
  std::vector<std::string> open;
  for (std::sregex_iterator it(svg.begin(), svg.end(), tag), end; it != end; ++it) {
    if ((*it)[3].length() > 0) continue;
    if ((*it)[1].length() == 0) {
      open.push_back((*it)[2]);
    } else {
      if (open.empty() || open.back() != (*it)[2]) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST_CASE("a plot is one element with the names of its axes and lines", "[unit]") {
  const auto svg = svg_plot(two_lines());
  CHECK(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(is_balanced(svg));
  for (const char* text : {">Time by length<", ">length<", ">seconds<", ">full<", ">local<"})
    CHECK(test::times_in(svg, text) == 1);
  CHECK(test::times_in(svg, "<script") == 0);
  CHECK(test::times_in(svg, "prefers-color-scheme:dark") == 1);
}

TEST_CASE("the same plot gives the same bytes", "[unit]") {
  CHECK(svg_plot(two_lines()) == svg_plot(two_lines()));
}

TEST_CASE("each point says its numbers under the pointer", "[unit]") {
  const auto svg = svg_plot(two_lines());
  CHECK(test::times_in(svg, "<title>full: 200, 4</title>") == 1);
  CHECK(test::times_in(svg, "<title>local: 400, 8 ± 9</title>") == 1);
}

TEST_CASE("on logarithmic axes a power is a straight line", "[unit]") {
  auto plot = two_lines();
  plot.series.pop_back();
  const auto line = numbers_in(svg_plot(plot), "dg-line\" d=\"M[0-9.]+ ([0-9.]+)L");
  REQUIRE(line.size() == 1);
  const std::regex points("d=\"M[0-9.]+ ([0-9.]+)L[0-9.]+ ([0-9.]+)L[0-9.]+ ([0-9.]+)\"");
  std::smatch y;
  const auto svg = svg_plot(plot);
  REQUIRE(std::regex_search(svg, y, points));
  CHECK(std::stod(y[1]) - std::stod(y[2]) ==
        test::Approx(std::stod(y[2]) - std::stod(y[3])).margin(0.2));
  CHECK(std::stod(y[1]) > std::stod(y[3]));
}

TEST_CASE("a bar of error that reaches below a logarithmic axis ends there", "[unit]") {
  const auto svg = svg_plot(two_lines());
  CHECK(test::times_in(svg, "class=\"dg-error\"") == 3);
  CHECK(test::times_in(svg, "nan") == 0);
}

TEST_CASE("a missing number is a gap in its line", "[unit]") {
  auto plot = two_lines();
  plot.series = {{.name = "full", .x = {1, 2, 3, 4}, .y = {1, std::nan(""), 3, 4}}};
  const auto svg = svg_plot(plot);
  const std::regex gap("dg-line\" d=\"M[0-9.]+ [0-9.]+M[0-9.]+ [0-9.]+L[0-9.]+ [0-9.]+\"");
  CHECK(std::regex_search(svg, gap));
  CHECK(test::times_in(svg, "<title>") == 3);
}

TEST_CASE("no text of a plot becomes markup", "[unit]") {
  auto plot = two_lines();
  plot.title = plot.x_label = plot.y_label = plot.series[0].name = "<b a=\"x\">&\x01\xff";
  const auto svg = svg_plot(plot);
  CHECK(test::times_in(svg, "<b") == 0);
  CHECK(test::times_in(svg, "\x01") == 0);
  CHECK(test::times_in(svg, ">&lt;b a=&quot;x&quot;&gt;&amp; \uFFFD</text>") == 4);
  CHECK(is_balanced(svg));
}

TEST_CASE("lines that share a colour are told apart by mark and dashes", "[unit]") {
  Plot plot;
  for (int i = 0; i < 7; ++i)
    plot.series.push_back({.name = "s", .x = {1, 2}, .y = {1.0 * i, 2.0}});
  const auto svg = svg_plot(plot);
  CHECK(test::times_in(svg, "<g class=\"dg-0\">") == 2);  // the line and its name
  CHECK(test::times_in(svg, "<g class=\"dg-0 dg-again\">") == 2);
}

TEST_CASE("each line has its name at its end, and no name covers another", "[unit]") {
  Plot plot = two_lines();
  for (int i = 0; i < 9; ++i)
    plot.series.push_back(
        {.name = "s" + std::to_string(i), .x = {100, 400}, .y = {1, 8.0 + 0.01 * i}});
  const auto svg = svg_plot(plot);
  CHECK(test::times_in(svg, "class=\"dg-name\"") == 11);
  const auto field = numbers_in(svg, "class=\"dg-axis\"[^>]*V([0-9.]+)H");
  auto heights = numbers_in(svg, "class=\"dg-name\" x=\"[0-9.]+\" y=\"([0-9.]+)\"");
  std::sort(heights.begin(), heights.end());
  for (std::size_t i = 1; i < heights.size(); ++i) CHECK(heights[i] - heights[i - 1] > 14.0);
  CHECK(heights.front() > 44.0);
  CHECK(heights.back() <= field.at(0) + 4.1);
}

TEST_CASE("a lone series of bars has its numbers over the bars", "[unit]") {
  const BarChart chart{.title = "",
                       .y_label = "",
                       .categories = {"a", "b"},
                       .series = {{.name = "", .x = {}, .y = {0.25, 1234.4}}}};
  const auto svg = svg_bars(chart);
  CHECK(test::times_in(svg, ">0.250</text>") == 1);
  CHECK(test::times_in(svg, ">1234</text>") == 1);
}

TEST_CASE("sizes that differ and numbers without a place are refused", "[unit]") {
  auto plot = two_lines();
  plot.series[0].x.pop_back();
  CHECK_THROWS_AS(svg_plot(plot), std::invalid_argument);
  plot = two_lines();
  plot.series[1].error.pop_back();
  CHECK_THROWS_WITH(svg_plot(plot), test::contains("\"local\" has 3 x, 3 y and 2 errors"));
  plot = two_lines();
  plot.series[0].y[0] = 0.0;
  CHECK_THROWS_AS(svg_plot(plot), std::invalid_argument);
  plot = two_lines();
  plot.series[0].x[0] = -1.0;
  CHECK_THROWS_AS(svg_plot(plot), std::invalid_argument);
}

TEST_CASE("the heights of bars are as their numbers", "[unit]") {
  const BarChart chart{.title = "BLEU",
                       .y_label = "points",
                       .categories = {"none", "learned"},
                       .series = {{.name = "", .x = {}, .y = {10.0, 40.0}, .error = {1.0, 2.0}}}};
  const auto svg = svg_bars(chart);
  CHECK(is_balanced(svg));
  const auto heights = numbers_in(svg, "dg-mark\"[^>]* height=\"([0-9.]+)\"");
  REQUIRE(heights.size() == 2);
  CHECK(heights[1] == test::Approx(4.0 * heights[0]).margin(0.3));
  CHECK(test::times_in(svg, "<title>learned: 40 ± 2</title>") == 1);
  CHECK(test::times_in(svg, "class=\"dg-error\"") == 2);
}

TEST_CASE("bars below zero hang from it", "[unit]") {
  const BarChart chart{.title = "",
                       .y_label = "",
                       .categories = {"a", "b"},
                       .series = {{.name = "s", .x = {}, .y = {-3.0, 3.0}}}};
  const auto tops =
      numbers_in(svg_bars(chart), "<rect class=\"dg-mark\" x=\"[0-9.]+\" y=\"([0-9.]+)\"");
  const auto heights = numbers_in(svg_bars(chart), "dg-mark\"[^>]* height=\"([0-9.]+)\"");
  REQUIRE(tops.size() == 2);
  CHECK(tops[0] == test::Approx(tops[1] + heights[1]).margin(0.2));
  CHECK(heights[0] == heights[1]);
}

TEST_CASE("long names of categories slope and have room", "[unit]") {
  const std::string name(60, 'm');
  BarChart chart{
      .title = "", .y_label = "", .categories = {}, .series = {{.name = "s", .x = {}, .y = {}}}};
  for (int i = 0; i < 5; ++i) {
    chart.categories.push_back(name);
    chart.series[0].y.push_back(i);
  }
  const auto svg = svg_bars(chart);
  CHECK(test::times_in(svg, "rotate(-30 ") == 5);
  const auto height = numbers_in(svg, "viewBox=\"0 0 [0-9.]+ ([0-9.]+)\"");
  CHECK(height.at(0) > 500.0);
}

TEST_CASE("a bar chart wants one number for each category", "[unit]") {
  const BarChart chart{.title = "",
                       .y_label = "",
                       .categories = {"a", "b"},
                       .series = {{.name = "s", .x = {}, .y = {1.0}}}};
  CHECK_THROWS_WITH(svg_bars(chart), test::contains("has 1 numbers and 0 errors for 2 categories"));
}

}  // namespace svg_plot_test
