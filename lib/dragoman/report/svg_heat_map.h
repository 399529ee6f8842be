#pragma once

#include <string>
#include <vector>

namespace dragoman {

/// Shares by row and column, such as the attention of each piece of a translation to those of its
/// source.
struct HeatMap {
  std::string title;  ///< for readers that do not see the picture
  std::vector<std::string> rows, columns;
  std::vector<double> values;  ///< [rows, columns], 0 to 1
};

/// The picture as one <svg> element that needs nothing else and no script: a cell is darker the
/// larger its value is, from 0.1 on it has its value in hundredths, and its names and value show
/// under the pointer. Cells below 0.005 are left out. No text in it can become markup; the same map
/// gives the same bytes.
/// \throws std::invalid_argument if there is not one value for each cell
std::string svg_heat_map(const HeatMap& map);

}  // namespace dragoman
