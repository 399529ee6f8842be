#include "dragoman/report/attention_page.h"

#include "support/browser.h"
#include "support/temporary_directory.h"

#include <algorithm>
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
/// \param script runs when the page has been drawn
std::string shown_at(const std::string& address, const AttentionPicture& picture = drawn_picture(),
                     const std::string& script = {}) {
  static const test::TemporaryDirectory folder;
  const std::vector pictures = {picture};
  const AttentionTitles titles = {.run = "a <run> & more",
                                  .compared = picture.compared.empty() ? "" : "another"};
  std::ofstream(folder / "page.html")
      << attention_page(titles, pictures) << "<script>" << script << "</script>";
  return test::document_of(folder / "page.html", address, folder / "profile");
}

struct Mark {
  double weight = 0.0;
  double shade = -1.0;
};

/// Elements that stand for weights, by head (-1 without), row and column.
std::map<std::array<int, 3>, Mark> marks_in(const std::string& document) {
  static const std::regex mark(
      "<(?:rect|line)[^>]*?(?:data-head=\"(\\d+)\" )?data-row=\"(\\d+)\" data-column=\"(\\d+)\" "
      "data-weight=\"([0-9.e-]+)\"(?: fill-opacity=\"([0-9.e-]+)\")?");
  std::map<std::array<int, 3>, Mark> marks;
  for (std::sregex_iterator it(document.begin(), document.end(), mark), end; it != end; ++it) {
    const auto& m = *it;
    marks[{m[1].matched ? std::stoi(m[1]) : -1, std::stoi(m[2]), std::stoi(m[3])}] = {
        std::stod(m[4]), m[5].matched ? std::stod(m[5]) : -1.0};
  }
  return marks;
}

/// The drawing of one of the panels that stand side by side.
std::string panel_of(const std::string& document, const std::string& name) {
  const auto first = document.find("data-panel=\"" + name + "\"");
  return first == std::string::npos
             ? std::string()
             : document.substr(first, document.find("data-panel=", first + 1) - first);
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
  CHECK(contains(held, " reads</h2>"));
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
  CHECK(contains(document, ">&lt;/script&gt;&lt;b id=\"x\"&gt;&amp;amp;'</text>"));
  CHECK(contains(document, ">日本語</text>"));
  CHECK(contains(document, ">e\u0301</text>"));
  CHECK(contains(document, ">\u25cc\u0301x</text>"));  // a mark alone stands on a dotted circle
  CHECK(contains(document, ">שלום</text>"));
  CHECK(contains(document, "<title>Attention: a &lt;run&gt; &amp; more</title>"));
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
  CHECK(contains(document, ">Schlüssel</text>"));
  CHECK(contains(document, ">key</text>"));
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

TEST_CASE("saliency stands beside the attention, and is not offered where there is none", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  for (int i = 0; i < 12; ++i) picture.maps[0].saliency.push_back(static_cast<float>(i) / 66.0F);
  const auto document = shown_at("#view=heat&layer=1&heads=1&beside=saliency", picture);
  const auto saliency = marks_in(panel_of(document, "saliency"));
  REQUIRE(saliency.size() == 12);
  CHECK(saliency.at({-1, 1, 2}).weight == test::Approx(6.0 / 66.0).margin(1e-6));
  CHECK(marks_in(panel_of(document, "attention")).at({-1, 1, 2}).weight ==
        test::Approx(picture.maps[0].weight(0, 0, 1, 2)).margin(1e-6));
  CHECK(panel_of(shown_at("#view=heat&beside=saliency"), "saliency").empty());
}

TEST_CASE("two runs stand side by side with the difference of their weights", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.compared = picture.maps;
  std::rotate(picture.compared[0].weights.begin(), picture.compared[0].weights.begin() + 4,
              picture.compared[0].weights.end());
  const auto document = shown_at("#view=heat&layer=2&heads=1&beside=compared.difference", picture);
  const auto first = marks_in(panel_of(document, "attention"));
  const auto second = marks_in(panel_of(document, "compared"));
  const auto difference = marks_in(panel_of(document, "difference"));
  REQUIRE(difference.size() == 12);
  for (const auto& [place, mark] : difference)
    CHECK(mark.weight ==
          test::Approx(first.at(place).weight - second.at(place).weight).margin(1e-6));
  CHECK(second.at({-1, 0, 0}).weight ==
        test::Approx(picture.compared[0].weight(1, 0, 0, 0)).margin(1e-6));
}

TEST_CASE("runs of different pieces are compared by words, others are not compared", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.maps[0].queries = {"▁Schlüs", "sel", "</s>"};
  picture.maps[0].keys = {"▁the", "▁k", "ey", "</s>"};
  picture.compared = picture.maps;
  picture.compared[0].queries = {"▁Schlü", "ssel", "</s>"};
  const auto words = shown_at("#view=heat&beside=difference", picture);
  CHECK(contains(words, "whole words are compared"));
  CHECK(marks_in(panel_of(words, "difference")).size() == 6);
  picture.compared[0].queries = {"▁Tür", "schloss", "</s>"};
  const auto refused = shown_at("#view=heat&beside=difference", picture);
  CHECK(contains(refused, "cannot be compared token by token"));
  CHECK(panel_of(refused, "difference").empty());
  picture.compared[0].queries = picture.maps[0].queries;
  picture.compared[0].layers = 1;
  picture.compared[0].weights.resize(36);
  CHECK(contains(shown_at("#view=heat&layer=2&beside=difference", picture),
                 "another has no layer 2."));
}

TEST_CASE("on a phone all labels lie within the picture", "[e2e]") {
  if (test::browser().empty()) return;
  auto picture = drawn_picture();
  picture.maps[0].queries[1] = "▁Donaudampfschifffahrtsgesellschaft";
  picture.maps[0].keys[2] = "▁internationalisation";
  const std::string script =
      "const stage = byId('stage'); stage.style.width = '320px'; draw();"
      "const room = stage.getBoundingClientRect();"
      "const cut = [...stage.querySelectorAll('text')].filter(text => {"
      "  const box = text.getBoundingClientRect();"
      "  return box.left < room.left - 1 || box.right > room.right + 1; });"
      "document.body.dataset.cut = cut.length;"
      "document.body.dataset.texts = stage.querySelectorAll('text').length;";
  for (const char* view : {"#view=lines", "#view=heat", "#view=overview"}) {
    CAPTURE(view);
    const auto document = shown_at(view, picture, script);
    CHECK(contains(document, "data-cut=\"0\""));
    CHECK_FALSE(contains(document, "data-texts=\"0\""));
  }
}

TEST_CASE("a view is saved as an SVG that needs nothing else", "[e2e]") {
  if (test::browser().empty()) return;
  for (const char* view : {"#view=lines", "#view=heat", "#view=overview"}) {
    CAPTURE(view);
    const auto document =
        shown_at(view, drawn_picture(),
                 "const saved = new DOMParser().parseFromString(savedSvg().text, 'image/svg+xml');"
                 "document.body.dataset.root = saved.documentElement.tagName;"
                 "document.body.dataset.variables = savedSvg().text.includes('var(');"
                 "document.body.dataset.caption = [...saved.querySelectorAll('text')]"
                 "  .some(text => text.textContent === byId('caption').textContent);");
    CHECK(contains(document, "data-root=\"svg\""));
    CHECK(contains(document, "data-variables=\"false\""));
    CHECK(contains(document, "data-caption=\"true\""));
  }
}

TEST_CASE("every choice of the page has a key, and tokens answer to Enter", "[e2e]") {
  if (test::browser().empty()) return;
  const std::string script =
      "const press = (key, on = document.body) =>"
      "  on.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true}));"
      "for (const key of ['1', 'w', 'm', 'x', 'ArrowUp']) press(key);"
      "press('Enter', document.querySelector('.token[tabindex]'));"
      "document.body.dataset.address = location.hash;";
  const auto document = shown_at("#view=heat&layer=2", drawn_picture(), script);
  for (const char* part :
       {"view=lines", "tokens=words", "layer=1", "draw=mean", "rows=exchanged", "pin=row.1"}) {
    CAPTURE(part);
    CHECK(contains(document.substr(document.find("data-address=")), part));
  }
}

}  // namespace attention_page_test
