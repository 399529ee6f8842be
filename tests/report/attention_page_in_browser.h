#pragma once

#include "dragoman/report/attention_page.h"
#include "support/browser.h"
#include "support/temporary_directory.h"

#include <array>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

namespace test {

inline const std::string marked_up = "</script><b id=\"x\">&amp;'";

/// Two layers of three heads over three queries and four keys; rows sum to 1, no two weights alike.
inline dragoman::AttentionPicture drawn_picture() {
  dragoman::AttentionMap map = {.kind = dragoman::AttentionPart::cross,
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
inline std::string shown_at(const std::string& address,
                            const dragoman::AttentionPicture& picture = drawn_picture(),
                            const std::string& script = {}) {
  static const TemporaryDirectory folder;
  const std::vector pictures = {picture};
  const dragoman::AttentionTitles titles = {.run = "a <run> & more",
                                            .compared = picture.compared.empty() ? "" : "another"};
  std::ofstream(folder / "page.html")
      << dragoman::attention_page(titles, pictures) << "<script>" << script << "</script>";
  return document_of(folder / "page.html", address, folder / "profile");
}

/// What stands for a weight.
struct WeightMark {
  double weight = 0.0;
  double shade = -1.0;
};

/// Elements that stand for weights, by head (-1 without), row and column.
inline std::map<std::array<int, 3>, WeightMark> marks_in(const std::string& document) {
  static const std::regex mark(
      "<(?:rect|line)[^>]*?(?:data-head=\"(\\d+)\" )?data-row=\"(\\d+)\" data-column=\"(\\d+)\" "
      "data-weight=\"([0-9.e-]+)\"(?: fill-opacity=\"([0-9.e-]+)\")?");
  std::map<std::array<int, 3>, WeightMark> marks;
  for (std::sregex_iterator it(document.begin(), document.end(), mark), end; it != end; ++it) {
    const auto& m = *it;
    marks[{m[1].matched ? std::stoi(m[1]) : -1, std::stoi(m[2]), std::stoi(m[3])}] = {
        std::stod(m[4]), m[5].matched ? std::stod(m[5]) : -1.0};
  }
  return marks;
}

/// The drawing of one of the panels that stand side by side.
inline std::string panel_of(const std::string& document, const std::string& name) {
  const auto first = document.find("data-panel=\"" + name + "\"");
  return first == std::string::npos
             ? std::string()
             : document.substr(first, document.find("data-panel=", first + 1) - first);
}

inline bool shows(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace test
