#include "commands/analyze.h"
#include "commands/memory_bound.h"

#include "dragoman/analysis/position_facts.h"
#include "dragoman/core/quantity.h"
#include "dragoman/model/positional_encoding.h"
#include "dragoman/report/text_table.h"

#include <ATen/ATen.h>

#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

struct AnalyzePositions {
  std::int64_t d_model = 512, positions = 10000, shift = 10;
  bool json = false;

  /// The table of sinusoids, the same shifted, their difference, and the matrix of the shift.
  void expect_tables() const {
    const auto width = static_cast<double>(d_model);
    const auto rows = static_cast<double>(positions + shift);
    expect_memory("analyze positions", sizeof(double) * (3 * rows * width + width * width),
                  "choose a smaller --d-model or fewer --positions");
  }

  void execute() const {
    expect_tables();
    const double error = shift_error(shift, positions, d_model);
    const auto dots = dot_by_offset(positions, d_model);
    const double least = least_distance(positions, d_model);
    if (json) return print_json(error, dots, least);
    print_table();
    std::vector<std::vector<std::string>> rows = {{"offset k", "PE(pos) . PE(pos + k)"}};
    for (std::int64_t k = 0; k < positions; k = k < 4 ? k + 1 : 2 * k)
      rows.push_back({std::to_string(k), decimal(dots[static_cast<std::size_t>(k)], 4)});
    std::cout << '\n'
              << text_table(rows) << "\nPE(pos + " << shift << ") = M PE(pos): largest error "
              << error << " over " << positions
              << " positions\nsmallest distance of two positions: " << least << '\n';
  }

  /// The first positions, in the fastest and the slowest dimensions.
  void print_table() const {
    constexpr std::int64_t shown_positions = 8;
    const auto table = sinusoidal_table(shown_positions, d_model);
    std::vector<std::int64_t> columns;
    for (std::int64_t c = 0; c < d_model; ++c)
      if (c < 4 || c >= d_model - 4) columns.push_back(c);
    std::vector<std::vector<std::string>> rows = {{"position"}};
    for (const auto c : columns) rows[0].push_back(std::to_string(c));
    for (std::int64_t pos = 0; pos < shown_positions; ++pos) {
      auto& row = rows.emplace_back(1, std::to_string(pos));
      for (const auto c : columns) row.push_back(decimal(table[pos][c].item<double>(), 4));
    }
    std::cout << text_table(rows);
  }

  void print_json(double error, const std::vector<double>& dots, double least) const {
    std::cout << nlohmann::ordered_json{{"d_model", d_model},      {"positions", positions},
                                        {"shift", shift},          {"shift_error", error},
                                        {"least_distance", least}, {"dot_by_offset", dots}}
                     .dump()
              << '\n';
  }
};

}  // namespace

void add_analyze_positions(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzePositions>();
  auto* sub = analyze.add_subcommand(
      "positions",
      "Check what the paper says about its sinusoids: table, shifts as rotations, "
      "products by offset");
  sub->add_option("--d-model", command->d_model, "Features per position, even")
      ->capture_default_str()
      ->check([](const std::string& text) {
        return text.find_last_of("02468") + 1 == text.size() ? "" : "must be even";
      })
      ->check(CLI::Range(2, 65536));
  sub->add_option("--positions", command->positions, "Number of positions to examine")
      ->capture_default_str()
      ->check(CLI::Range(2, 1000000));
  sub->add_option("--shift", command->shift, "Offset k of the shift matrix")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  sub->add_flag("--json", command->json, "Print one JSON object");
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app
