#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Columns side by side under a heading that they share.
struct ColumnGroup {
  std::string heading;  ///< empty = none above these
  std::size_t columns = 1;
};

/// A text of any language, escaped, in an element that takes its direction from it.
std::string text_element(const std::string& text);

/// A table of an HTML page, whose first column has the headings of the rows. Each cell also holds
/// the headings of its column as `data-label`, for styles that show a row as a block on narrow
/// screens. No text in it can become markup.
struct PageTable {
  std::vector<std::string> headings;
  std::vector<ColumnGroup> groups = {};  ///< above all of the headings; empty = no such row
  std::vector<std::vector<std::string>> rows = {};
  std::optional<std::size_t> text_column = {};  ///< whose cells are texts of any language
  std::string caption = {};                     ///< what the cells hold; empty = none

  /// Adds a row, unless all its cells but the first are empty.
  void add(std::vector<std::string> row);

  /// The <table> element; nothing if there are no rows.
  std::string html() const;
};

}  // namespace dragoman
