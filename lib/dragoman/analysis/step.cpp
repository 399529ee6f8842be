#include "dragoman/analysis/step.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

using OrderedJson = nlohmann::ordered_json;

double print_unit(const Step& step) { return std::pow(10.0, -step.digits); }

/// A scalar or a vector as a matrix of one row.
at::Tensor as_matrix(const at::Tensor& x) { return x.dim() == 2 ? x : x.reshape({1, -1}); }

/// Fixed decimals, or powers of ten for values that would read as zero.
std::string number_text(double number, int digits) {
  if (number == std::round(number) && std::abs(number) < 1e15) return decimal(number, 0);
  if (std::abs(number) >= 0.5 * std::pow(10.0, -digits)) return decimal(number, digits);
  return concat(number);
}

std::vector<std::string> heading(const Step& step, std::int64_t shown) {
  std::vector<std::string> cells = {""};
  for (std::int64_t j = 0; j < shown; ++j)
    cells.push_back(step.columns.empty() ? "" : step.columns[static_cast<std::size_t>(j)]);
  return cells;
}

std::string matrix_text(const Step& step, const at::Tensor& value, const StepFormat& format) {
  const auto matrix = as_matrix(value.to(at::kDouble)).contiguous();
  const auto numbers = matrix.accessor<double, 2>();
  const auto shown = std::min(matrix.size(1), format.columns);
  std::vector<std::vector<std::string>> rows;
  if (!step.columns.empty()) rows.push_back(heading(step, shown));
  for (std::int64_t i = 0; i < matrix.size(0); ++i) {
    const bool named = !step.rows.empty() && value.dim() == 2;
    auto& row =
        rows.emplace_back(1, "    " + (named ? step.rows[static_cast<std::size_t>(i)] : ""));
    for (std::int64_t j = 0; j < shown; ++j)
      row.push_back(number_text(numbers[i][j], format.digits));
    if (shown < matrix.size(1)) row.push_back("..");
  }
  const auto left_out = matrix.size(1) - shown;
  return text_table(rows) +
         (left_out > 0 ? concat("    (", left_out, " more columns: see --json)\n") : "");
}

OrderedJson nested_numbers(const at::Tensor& x) {
  if (x.dim() == 0) return x.item<double>();
  auto all = OrderedJson::array();
  for (std::int64_t i = 0; i < x.size(0); ++i) all.push_back(nested_numbers(x[i]));
  return all;
}

}  // namespace

double print_error(const Step& step) {
  return step.printed.defined() ? (step.printed - step.value).abs().max().item<double>() : 0.0;
}

bool print_agrees(const Step& step) { return print_error(step) <= 0.5 * print_unit(step) + 1e-9; }

std::string step_text(const Step& step, const StepFormat& format) {
  auto text = "  " + step.name + (step.formula.empty() ? "" : " = " + step.formula) + '\n' +
              matrix_text(step, step.value, format);
  if (!step.printed.defined()) return text;
  if (print_agrees(step)) return text + "    the printed value agrees\n";
  return text + "    as printed\n" +
         matrix_text(step, step.printed, {.digits = step.digits, .columns = format.columns}) +
         concat("    the printed value is off by up to ", print_error(step), "; rounding explains ",
                0.5 * print_unit(step), '\n');
}

nlohmann::ordered_json step_json(const Step& step) {
  OrderedJson object = {
      {"name", step.name}, {"formula", step.formula}, {"value", nested_numbers(step.value)}};
  if (!step.rows.empty()) object["rows"] = step.rows;
  if (!step.columns.empty()) object["columns"] = step.columns;
  if (!step.printed.defined()) return object;
  object["printed"] = nested_numbers(step.printed);
  object["print_error"] = print_error(step);
  object["print_agrees"] = print_agrees(step);
  return object;
}

}  // namespace dragoman
