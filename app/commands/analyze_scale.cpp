#include "commands/analyze.h"
#include "commands/memory_bound.h"

#include "dragoman/analysis/scale_experiment.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/quantity.h"
#include "dragoman/report/text_table.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace dragoman::app {

namespace {

struct AnalyzeScale {
  std::vector<std::int64_t> widths = {4, 64, 512};
  std::int64_t pairs = 102400;
  std::uint64_t seed = 1;
  bool json = false;

  /// All products in several forms, and the queries and keys of those that are drawn at once.
  void expect_samples() const {
    constexpr std::int64_t drawn_at_once = 4096;
    const auto widest = static_cast<double>(*std::max_element(widths.begin(), widths.end()));
    expect_memory(
        "analyze scale",
        sizeof(double) * (5 * static_cast<double>(pairs) +
                          3 * static_cast<double>(std::min(pairs, drawn_at_once)) * widest),
        "choose a smaller --d-k or fewer --pairs");
  }

  void execute() const {
    if (pairs % ScaleSampling().keys != 0)
      throw OptionsError(concat("--pairs: ", pairs, " is not a multiple of ", ScaleSampling().keys,
                                "; choose one that is"));
    expect_samples();
    if (json) return print_json();
    std::vector<std::vector<std::string>> rows = {{"d_k", "Var[q.k]", "scaled", "std. error",
                                                   "largest weight", "scaled", "|softmax'|",
                                                   "scaled"}};
    for (const auto d_k : widths) {
      const auto facts = sampled(d_k);
      rows.push_back({std::to_string(d_k), decimal(facts.variance, 2),
                      decimal(facts.scaled_variance, 4),
                      decimal(100 * facts.standard_error, 2) + " %",
                      decimal(facts.largest_weight, 3), decimal(facts.scaled_largest_weight, 3),
                      decimal(facts.jacobian, 3), decimal(facts.scaled_jacobian, 3)});
    }
    std::cout << text_table(rows) << "components of mean 0 and variance 1, " << pairs
              << " products per row, softmax over 16 keys; scaled: divided by sqrt(d_k)\n";
  }

  ScaleFacts sampled(std::int64_t d_k) const {
    return sample_scale({.d_k = d_k, .pairs = pairs, .seed = seed});
  }

  void print_json() const {
    auto rows = nlohmann::json::array();
    for (const auto d_k : widths) {
      const auto facts = sampled(d_k);
      rows.push_back({{"d_k", d_k},
                      {"variance", facts.variance},
                      {"scaled_variance", facts.scaled_variance},
                      {"standard_error", facts.standard_error},
                      {"largest_weight", facts.largest_weight},
                      {"scaled_largest_weight", facts.scaled_largest_weight},
                      {"jacobian", facts.jacobian},
                      {"scaled_jacobian", facts.scaled_jacobian}});
    }
    std::cout << nlohmann::json{{"pairs", pairs}, {"seed", seed}, {"widths", rows}}.dump(1) << '\n';
  }
};

}  // namespace

void add_analyze_scale(CLI::App& analyze) {
  auto command = std::make_shared<AnalyzeScale>();
  auto* sub = analyze.add_subcommand("scale",
                                     "Show by sampling why scores are divided by sqrt(d_k): their "
                                     "variance, and the gradient left by the softmax");
  sub->add_option("--d-k", command->widths, "Features of a query")
      ->capture_default_str()
      ->check(CLI::Range(1, 65536));
  sub->add_option("--pairs", command->pairs, "Products for each d_k, a multiple of 16")
      ->capture_default_str()
      ->check(CLI::Range(16, 100000000));
  sub->add_option("--seed", command->seed, "Seed of the samples")->capture_default_str();
  sub->add_flag("--json", command->json, "Print one JSON object");
  sub->callback([command] { command->execute(); });
}

}  // namespace dragoman::app
