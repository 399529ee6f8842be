#include "dragoman/report/attention_map.h"

#include "support/browser.h"
#include "support/temporary_directory.h"

#include <array>
#include <fstream>
#include <map>
#include <regex>

namespace attention_page_test {

using namespace dragoman;

namespace {

const std::string marked_up = "</script><b id=\"x\">&amp;'";

/// Two layers of three heads over three queries and four keys; rows sum to 1, no two weights alike.
AttentionPicture drawn_picture() {
  AttentionMap map = {.kind = AttentionPart::cross,
                      .queries = {"▁das", "日本語", marked_up},
                      .keys = {"▁the", "e\u0301", "\u0301x", "שלום"},
                      .layers = 2,
                      .heads = 3,
                      .weights = {}};
  for (int row = 0; row < 2 * 3 * 3; ++row) {
    float total = 0.0F;
    for (int k = 0; k < 4; ++k) total += static_cast<float>(1 + (row * 5 + k * 7) % 11);
    for (int k = 0; k < 4; ++k)
      map.weights.push_back(static_cast<float>(1 + (row * 5 + k * 7) % 11) / total);
  }
  return {.source = "the " + marked_up, .target = "日本語", .maps = {map}};
}

/// What the browser shows of a picture at an address.
std::string shown_at(const std::string& address, const AttentionPicture& picture = drawn_picture()) {
  static const test::TemporaryDirectory folder;
  const std::vector pictures = {picture};
  std::ofstream(folder / "page.html") << attention_page("a <run> & more", pictures);
  return test::document_of(folder / "page.html", address, folder / "profile");
}

struct Mark {
  double weight = 0.0;
  double shade = -1.0;
};

/// Elements that stand for weights, by head (-1 without), row and column.
std::map<std::array<int, 3>, Mark> marks_in(const std::string& document) {
  static const std::regex mark(
      "<(?:td|line)[^>]*?(?:data-head=\"(\\d+)\" )?data-row=\"(\\d+)\" data-column=\"(\\d+)\" "
      "data-weight=\"([0-9.e-]+)\"(?: style=\"--shade: ?([0-9.e-]+);?\")?");
  std::map<std::array<int, 3>, Mark> marks;
  for (std::sregex_iterator it(document.begin(), document.end(), mark), end; it != end; ++it) {
    const auto& m = *it;
    marks[{m[1].matched ? std::stoi(m[1]) : -1, std::stoi(m[2]), std::stoi(m[3])}] = {
        std::stod(m[4]), m[5].matched ? std::stod(m[5]) : -1.0};
  }
  return marks;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

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
    CHECK(mark.shade == test::Approx(mark.weight).margin(1e-9));  // darker is stronger
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
  const auto below = cells.find("class=\"below\"");
  REQUIRE(below != std::string::npos);
  CHECK(cells.find("class=\"below\"", below + 1) == std::string::npos);
  CHECK(contains(cells, "Rows of this attention need not sum to 1"));
  CHECK(contains(shown_at("#view=lines&layer=1&heads=1", picture), "stroke-dasharray"));
  CHECK(contains(shown_at("#view=heat"), "Each row of weights sums to 1."));
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
  CHECK(contains(held, "  reads"));
}

TEST_CASE("the overview has a picture of every head", "[e2e]") {
  if (test::browser().empty()) return;
  const auto document = shown_at("#view=overview");
  for (int layer = 0; layer < 2; ++layer)
    for (int head = 0; head < 3; ++head)
      CHECK(contains(document, "data-layer=\"" + std::to_string(layer) + "\" data-head=\"" +
                                   std::to_string(head) + "\""));
}

TEST_CASE("tokens in a browser are text, whatever is in them", "[e2e]") {
  if (test::browser().empty()) return;
  const auto document = shown_at("#view=heat");
  CHECK_FALSE(contains(document, "<b id="));
  CHECK(contains(document, ">&lt;/script&gt;&lt;b id=\"x\"&gt;&amp;amp;'</span>"));
  CHECK(contains(document, ">日本語</span>"));
  CHECK(contains(document, ">e\u0301</span>"));
  CHECK(contains(document, ">\u25cc\u0301x</span>"));  // a mark alone stands on a dotted circle
  CHECK(contains(document, ">שלום</span>"));
  CHECK(contains(document, "<title>Attention: a &lt;run&gt; &amp; more</title>"));
}

}  // namespace attention_page_test
