#include "dragoman/report/attention_page.h"

#include "report/attention_page_in_browser.h"
#include "support/browser.h"

#include <algorithm>
#include <regex>

namespace attention_page_test {

using namespace dragoman;
using test::drawn_picture;
using test::marks_in;
using test::shown_at;
using test::shows;

TEST_CASE("the heat map in a browser has the weights of the chosen layer and head", "[e2e]") {
  if (test::browser().empty()) return;
  const auto document = shown_at("#view=heat&layer=2&heads=3");
  const auto marks = marks_in(document);
  REQUIRE(marks.size() == 12);
  const auto map = drawn_picture().maps[0];
  for (const auto& [place, mark] : marks) {
    CAPTURE(place[1], place[2]);
    CHECK(mark.weight == test::Approx(map.weight(1, 2, static_cast<std::size_t>(place[1]),
                                                 static_cast<std::size_t>(place[2])))
                             .margin(1e-6));
    CHECK(mark.shade == test::Approx(mark.weight).margin(1e-6));  // darker is stronger
  }
}

TEST_CASE("the heat map of several heads shows their mean, exchanged rows are columns", "[e2e]") {
  if (test::browser().empty()) return;
  const auto map = drawn_picture().maps[0];
  const auto marks = marks_in(shown_at("#view=heat&layer=1&heads=1.2&rows=exchanged"));
  REQUIRE(marks.size() == 12);
  for (const auto& [place, mark] : marks) {
    const auto key = static_cast<std::size_t>(place[1]), query = static_cast<std::size_t>(place[2]);
    CAPTURE(key, query);
    CHECK(mark.weight ==
          test::Approx((map.weight(0, 0, query, key) + map.weight(0, 1, query, key)) / 2)
              .margin(1e-6));
  }
}

TEST_CASE("negative weights have a colour of their own, and broken lines", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.maps[0].weights[1] *= -1.0F;
  const auto cells = shown_at("#view=heat&layer=1&heads=1", picture);
  const auto below = cells.find("<rect class=\"below\"");
  REQUIRE(below != std::string::npos);
  CHECK(cells.find("<rect class=\"below\"", below + 1) == std::string::npos);
  CHECK(shows(cells, "Rows of this attention need not sum to 1"));
  CHECK(shows(shown_at("#view=lines&layer=1&heads=1", picture), "stroke-dasharray"));
  CHECK(shows(shown_at("#view=heat"), "Each row of weights sums to 1."));
}

TEST_CASE("lines in a browser join the tokens by the weights, of a held token alone", "[e2e]") {
  if (test::browser().empty()) return;
  const auto map = drawn_picture().maps[0];
  const auto all = marks_in(shown_at("#view=lines&layer=1"));
  CHECK(all.size() == 3 * 12);
  for (const auto& [place, mark] : all) {
    CAPTURE(place[0], place[1], place[2]);
    CHECK(mark.weight == test::Approx(map.weight(0, place[0], static_cast<std::size_t>(place[1]),
                                                 static_cast<std::size_t>(place[2])))
                             .margin(1e-6));
  }
  const auto held = shown_at("#view=lines&layer=1&heads=2&pin=row.2");
  const auto lines = marks_in(held);
  CHECK(lines.size() == 4);
  for (const auto& [place, mark] : lines) CHECK(place[1] == 1);
  CHECK(shows(held, " reads</h2>"));
}

TEST_CASE("the overview has a picture of every head", "[e2e]") {
  if (test::browser().empty()) return;
  const auto document = shown_at("#view=overview");
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 3; ++head)
      CHECK(shows(document, "data-layer=\"" + std::to_string(layer) + "\" data-head=\"" +
                                std::to_string(head) + "\""));
}

TEST_CASE("a pruned head is named in a browser, and is no part of a mean", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  auto& map = picture.maps.front();
  const auto cells = static_cast<std::ptrdiff_t>(map.queries.size() * map.keys.size());
  std::fill_n(map.weights.begin() + 3 * cells, cells, 0.0F);  // layer 2, head 1
  CHECK(shows(shown_at("#view=overview", picture), "layer 2, head 1, pruned"));
  const auto document = shown_at("#view=heat&layer=2&heads=all", picture);
  CHECK(shows(document, "Pruned here: 1."));
  const auto marks = test::marks_in(document);
  const auto mean = map.mean_of_heads(1);
  REQUIRE(marks.size() == mean.size());
  for (const auto& [place, mark] : marks) {
    const auto cell =
        static_cast<std::size_t>(place[1]) * map.keys.size() + static_cast<std::size_t>(place[2]);
    CHECK(mark.weight == test::Approx(mean[cell]).margin(1e-5));
  }
}

TEST_CASE("tokens in a browser are text, whatever is in them", "[e2e]") {
  if (test::browser().empty()) return;
  const auto document = shown_at("#view=heat");
  CHECK_FALSE(shows(document, "<b id="));
  CHECK(shows(document, ">&lt;/script&gt;&lt;b id=\"x\"&gt;&amp;amp;'</text>"));
  CHECK(shows(document, ">日本語</text>"));
  CHECK(shows(document, ">e\u0301</text>"));
  CHECK(shows(document, ">\u25cc\u0301x</text>"));  // a mark alone stands on a dotted circle
  CHECK(shows(document, ">שלום</text>"));
  CHECK(shows(document, "<title>Attention: a &lt;run&gt; &amp; more</title>"));
}

TEST_CASE("lines of several heads run side by side and do not cover each other", "[e2e]") {
  if (test::browser().empty()) return;
  const auto document = shown_at("#view=lines&layer=1&pin=row.1");
  const std::regex line(
      "y1=\"([0-9.]+)\"[^>]*data-head=\"(\\d)\" data-row=\"0\" data-column=\"0\"");
  std::vector<double> heights;
  for (std::sregex_iterator it(document.begin(), document.end(), line), end; it != end; ++it)
    heights.push_back(std::stod((*it)[1]));
  std::sort(heights.begin(), heights.end());
  REQUIRE(heights.size() == 3);
  CHECK(heights[1] - heights[0] > 2.0);
  CHECK(heights[2] - heights[1] > 2.0);
}

TEST_CASE("words sum what is read of their pieces and average what their pieces read", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.maps[0].queries = {"▁Schlüs", "sel", "</s>"};
  picture.maps[0].keys = {"▁the", "▁k", "ey", "</s>"};
  const auto document = shown_at("#view=heat&layer=1&heads=1&tokens=words", picture);
  CHECK(shows(document, ">Schlüssel</text>"));
  CHECK(shows(document, ">key</text>"));
  const auto marks = marks_in(document);
  REQUIRE(marks.size() == 2 * 3);
  const auto& map = picture.maps[0];
  const auto weight = [&](std::size_t i, std::size_t j) { return map.weight(0, 0, i, j); };
  CHECK(marks.at({-1, 0, 1}).weight ==
        test::Approx((weight(0, 1) + weight(0, 2) + weight(1, 1) + weight(1, 2)) / 2).margin(1e-6));
  CHECK(marks.at({-1, 1, 0}).weight == test::Approx(weight(2, 0)).margin(1e-6));
  for (const int row : {0, 1})
    CHECK(marks.at({-1, row, 0}).weight + marks.at({-1, row, 1}).weight +
              marks.at({-1, row, 2}).weight ==
          test::Approx(1.0).margin(1e-5));
}

TEST_CASE("the mean of layers and the mean line of heads are means", "[e2e]") {
  if (test::browser().empty()) return;
  const auto map = drawn_picture().maps[0];
  const auto layers = marks_in(shown_at("#view=heat&layer=mean&heads=2"));
  CHECK(layers.at({-1, 1, 2}).weight ==
        test::Approx((map.weight(0, 1, 1, 2) + map.weight(1, 1, 1, 2)) / 2).margin(1e-6));
  const auto line = marks_in(shown_at("#view=lines&layer=1&draw=mean"));
  REQUIRE(line.size() == 12);  // one for each pair
  CHECK(line.at({-1, 0, 3}).weight == test::Approx(map.mean_of_heads(0)[3]).margin(1e-6));
}

}  // namespace attention_page_test
