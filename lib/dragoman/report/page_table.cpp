#include "dragoman/report/page_table.h"

#include "dragoman/core/concat.h"
#include "dragoman/report/svg_frame.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

std::string row_of_groups(const std::vector<ColumnGroup>& groups) {
  if (groups.empty()) return {};
  std::string text = "<tr>";
  for (const auto& group : groups)
    text += group.heading.empty() ? concat("<td colspan=\"", group.columns, "\"></td>")
                                  : concat("<th scope=\"colgroup\" colspan=\"", group.columns,
                                           "\">", svg_escaped(group.heading), "</th>");
  return text + "</tr>\n";
}

/// The headings as labels of cells that stand alone: with those of their groups.
std::vector<std::string> cell_labels(const PageTable& table) {
  auto labels = table.headings;
  std::size_t at = 0;
  for (const auto& group : table.groups)
    for (const auto end = at + group.columns; at < end; ++at)
      if (!group.heading.empty()) labels[at] += ", " + group.heading;
  return labels;
}

}  // namespace

std::string text_element(const std::string& text) {
  return concat("<bdi dir=\"auto\">", svg_escaped(text), "</bdi>");
}

void PageTable::add(std::vector<std::string> row) {
  if (std::any_of(row.begin() + 1, row.end(), [](const auto& cell) { return !cell.empty(); }))
    rows.push_back(std::move(row));
}

std::string PageTable::html() const {
  if (rows.empty()) return {};
  std::string text = "<table>\n";
  if (!caption.empty()) text += concat("<caption>", svg_escaped(caption), "</caption>\n");
  text += concat("<thead>", row_of_groups(groups), "<tr>");
  for (const auto& heading : headings)
    text += concat("<th scope=\"col\">", svg_escaped(heading), "</th>");
  text += "</tr></thead>\n<tbody>\n";
  const auto labels = cell_labels(*this);
  for (const auto& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const auto cell = i == text_column ? text_element(row[i]) : svg_escaped(row[i]);
      const bool is_heading = i == 0 && !row[i].empty();
      text += is_heading ? "<th scope=\"row\"" : "<td";
      if (!labels[i].empty()) text += concat(" data-label=\"", svg_escaped(labels[i]), '"');
      text += concat('>', cell, is_heading ? "</th>" : "</td>");
    }
    text += "</tr>\n";
  }
  return text + "</tbody>\n</table>\n";
}

}  // namespace dragoman
