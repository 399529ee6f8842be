#pragma once

#include <optional>
#include <string>

namespace dragoman {

/// The numbers that an option accepts: from `low` to `high`, and maybe one more that stands for
/// something else (-1: "that of model.dropout").
struct OptionRange {
  double low = 0.0;
  double high = 0.0;
  bool above = false;               ///< `low` itself is left out
  bool below = false;               ///< `high` itself is left out
  std::optional<double> or_else{};  ///< accepted too

  /// Not a number is never inside.
  bool contains(double value) const;
  /// "1 to 24", "0 to below 1", "above 0 to 1e6", "-1, or 0 to below 1".
  std::string text() const;
};

}  // namespace dragoman
