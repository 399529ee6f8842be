#pragma once

#include <ATen/core/Tensor.h>

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// One step of a calculation: what is computed, and its numbers.
struct Step {
  std::string name;         ///< "scores"
  std::string formula;      ///< "Q K^T"
  at::Tensor value;         ///< float64, no, one or two axes
  at::Tensor printed = {};  ///< the same as a document prints it; undefined where it does not
  int digits = 3;           ///< digits behind the point of the print
  std::vector<std::string> rows = {};     ///< names of the value's rows, if they have any
  std::vector<std::string> columns = {};  ///< of its columns
};

/// The largest difference of `printed` from `value`; 0 without a print.
double print_error(const Step& step);

/// Whether every printed number is `value` rounded to the print's digits.
bool print_agrees(const Step& step);

/// How numbers are shown to people.
struct StepFormat {
  int digits = 4;            ///< behind the point
  std::int64_t columns = 8;  ///< of a wide matrix; what is left out is said
};

/// A step as lines of text, with the print and the verdict on it where there is one.
std::string step_text(const Step& step, const StepFormat& format = {});

/// {"name", "formula", "value", "printed", "print_error", "print_agrees", "rows", "columns"} with
/// all digits; what a step lacks is left out.
nlohmann::ordered_json step_json(const Step& step);

}  // namespace dragoman
