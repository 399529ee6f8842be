#include "dragoman/complexity/complexity_benchmark.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/json_or_null.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

namespace dragoman {

namespace {

using TableRows = std::vector<std::vector<std::string>>;

/// Table 1 of the paper, with exact multiply-adds and the numbers at one length.
std::string formula_table(const ComplexityOptions& options) {
  const auto& sizes = options.sizes;
  TableRows rows = {{"part", "multiply-adds", "=", "steps", "=", "path", "=", "numbers held", "="}};
  for (const auto part : options.parts) {
    const auto formulas = formulas_of(part);
    rows.push_back({name_of(part), formulas.multiply_adds,
                    std::to_string(multiply_adds(part, sizes)), formulas.sequential_steps,
                    std::to_string(sequential_steps(part, sizes)), formulas.path,
                    path_length(part, sizes) > 0 ? std::to_string(path_length(part, sizes)) : "-",
                    formulas.memory, std::to_string(numbers_held(part, sizes))});
  }
  return concat("one sequence of n = ", sizes.length, " positions, d = ", sizes.d_model,
                " features, h = ", sizes.num_heads, " heads, r = ", sizes.radius,
                ", k = ", sizes.kernel, ", d_ff = ", sizes.d_ff, "\n", text_table(rows), "\n");
}

std::string cost_table(const ComplexityBenchmark& benchmark) {
  TableRows rows = {
      {"part", "n", "mega multiply-adds", "forward ms", "backward ms", "GFLOP/s", "peak MiB"}};
  for (const auto& [part, length, cost] : benchmark.costs) {
    const auto count =
        static_cast<double>(multiply_adds(part, benchmark.options.sizes.at_length(length)));
    rows.push_back({name_of(part), std::to_string(length), decimal(count / 1e6, 1),
                    decimal(1e3 * cost.forward_seconds, 3), decimal(1e3 * cost.backward_seconds, 3),
                    decimal(6.0 * count / cost.seconds() / 1e9, 1), decimal(cost.peak_mb, 1)});
  }
  return "measured in CPU time of one thread\n" + text_table(rows) + '\n';
}

std::string growth_table(const ComplexityBenchmark& benchmark) {
  TableRows rows = {
      {"exponent of n", "formula", "multiply-adds", "time", "memory", "time within 0.2"}};
  for (const auto part : benchmark.options.parts) {
    const auto counted = benchmark.counted_exponent(part), time = benchmark.time_exponent(part);
    const auto memory = benchmark.memory_exponent(part);
    if (counted && time && memory)
      rows.push_back({name_of(part), std::to_string(length_exponent(part)), decimal(*counted, 2),
                      decimal(*time, 2), decimal(*memory, 2),
                      *benchmark.grows_as_formula(part) ? "yes" : "no"});
  }
  return rows.size() > 1 ? text_table(rows) + '\n' : "";
}

nlohmann::json json_of_part(const ComplexityBenchmark& benchmark, LayerPart part) {
  const auto formulas = formulas_of(part);
  const auto& sizes = benchmark.options.sizes;
  const auto as_formula = benchmark.grows_as_formula(part);
  return {{"multiply_adds",
           {{"formula", formulas.multiply_adds}, {"value", multiply_adds(part, sizes)}}},
          {"sequential_steps",
           {{"formula", formulas.sequential_steps}, {"value", sequential_steps(part, sizes)}}},
          {"path", {{"formula", formulas.path}, {"value", path_length(part, sizes)}}},
          {"numbers_held", {{"formula", formulas.memory}, {"value", numbers_held(part, sizes)}}},
          {"counted_exponent", json_or_null(benchmark.counted_exponent(part))},
          {"time_exponent", json_or_null(benchmark.time_exponent(part))},
          {"memory_exponent", json_or_null(benchmark.memory_exponent(part))},
          {"formula_exponent", length_exponent(part)},
          {"time_within_tolerance", json_or_null(as_formula)}};
}

}  // namespace

std::string ComplexityBenchmark::text() const {
  auto text = formula_table(options) + cost_table(*this) + growth_table(*this);
  const auto crossover = measured_crossover();
  text += concat(
      "attention = its projections at n = 2d = ", core_equals_projections(options.sizes),
      " by multiply-adds, ",
      crossover ? concat("at n = ", decimal(*crossover, 0), " by measured time")
                : "at none of these lengths by measured time",
      "\nattention = a simple recurrent layer at n = d = ", core_equals_recurrent(options.sizes),
      " by multiply-adds, without projections; with them, 4 n d^2 + 2 n^2 d > 2 n d^2, "
      "it always needs more\n");
  return text;
}

nlohmann::json ComplexityBenchmark::json() const {
  const auto& sizes = options.sizes;
  nlohmann::json out{{"sizes",
                      {{"length", sizes.length},
                       {"d_model", sizes.d_model},
                       {"num_heads", sizes.num_heads},
                       {"radius", sizes.radius},
                       {"kernel", sizes.kernel},
                       {"d_ff", sizes.d_ff}}},
                     {"costs", nlohmann::json::array()},
                     {"parts", nlohmann::json::object()},
                     {"core_equals_projections",
                      {{"counted", core_equals_projections(sizes)},
                       {"measured", json_or_null(measured_crossover())}}},
                     {"core_equals_recurrent", {{"counted", core_equals_recurrent(sizes)}}}};
  for (const auto& [part, length, cost] : costs)
    out["costs"].push_back({{"part", name_of(part)},
                            {"length", length},
                            {"multiply_adds", multiply_adds(part, sizes.at_length(length))},
                            {"forward_seconds", cost.forward_seconds},
                            {"backward_seconds", cost.backward_seconds},
                            {"peak_mb", cost.peak_mb}});
  for (const auto part : options.parts) out["parts"][name_of(part)] = json_of_part(*this, part);
  return out;
}

Plot ComplexityBenchmark::plot() const {
  Plot plot{
      .title = concat("Forward and backward pass, d = ", options.sizes.d_model, ", one thread"),
      .x_label = "positions n",
      .y_label = "milliseconds",
      .log_x = true,
      .log_y = true,
      .series = {}};
  for (const auto part : options.parts) {
    PlotSeries series{.name = name_of(part), .x = {}, .y = {}};
    for (const auto& cost : costs) {
      if (cost.part != part) continue;
      series.x.push_back(static_cast<double>(cost.length));
      series.y.push_back(1e3 * cost.cost.seconds());
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

}  // namespace dragoman
