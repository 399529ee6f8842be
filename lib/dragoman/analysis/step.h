#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// One step of a calculation: the formula and its numbers.
struct Step {
  std::string name;         ///< "scores"
  std::string formula;      ///< "Q K^T"
  at::Tensor value;         ///< float64, zero, one or two axes
  at::Tensor printed = {};  ///< the value as printed in a document; undefined if not printed
  int digits = 3;           ///< decimals in print
  std::vector<std::string> rows = {};     ///< names of the value's rows, if any
  std::vector<std::string> columns = {};  ///< names of its columns, if any
};

/// The largest difference of `printed` from `value`; 0 if not printed.
double print_error(const Step& step);

/// Whether every printed number is `value` rounded to the printed decimals.
bool print_agrees(const Step& step);

/// How numbers are displayed.
struct StepFormat {
  int digits = 4;            ///< decimals
  std::int64_t columns = 8;  ///< maximum columns of a wide matrix; omissions are stated
};

/// A step as lines of text, with the printed value, if any, and a verdict on it.
std::string step_text(const Step& step, const StepFormat& format = {});

/// {"name", "formula", "value", "printed", "print_error", "print_agrees", "rows", "columns"} with
/// full precision; missing fields are omitted.
nlohmann::ordered_json step_json(const Step& step);

}  // namespace dragoman
