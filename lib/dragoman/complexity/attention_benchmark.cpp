#include "dragoman/complexity/attention_benchmark.h"

#include "dragoman/attention/factory.h"
#include "dragoman/config/option_text.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/json_or_null.h"
#include "dragoman/core/power_fit.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/stopwatch.h"
#include "dragoman/report/text_table.h"
#include "dragoman/tensor/memory_watch.h"
#include "dragoman/tensor/thread_count.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>

namespace dragoman {

namespace {

struct AttentionInput {
  at::Tensor query, key, value;
};

AttentionInput random_input(const AttentionBenchmarkOptions& options, std::int64_t length) {
  at::manual_seed(1);
  const auto draw = [&] {
    return at::randn({1, length, options.num_heads, options.d_k})
        .transpose(1, 2)
        .set_requires_grad(options.backward);
  };
  return {draw(), draw(), draw()};
}

/// One run; updates the minimum times of `cost` and returns the context.
at::Tensor run_once(const Attention& attention, const AttentionInput& input,
                    const AttentionBenchmarkOptions& options, AttentionCost& cost) {
  const at::AutoGradMode gradients(options.backward);
  const auto mask = AttentionMask::structured({}, options.causal);
  const double scale = 1.0 / std::sqrt(static_cast<double>(options.d_k));
  auto start = thread_cpu_seconds();
  const auto context =
      attention.attend(input.query, {input.key, input.value}, mask, {.scale = scale}).context;
  cost.forward_seconds = std::min(cost.forward_seconds, thread_cpu_seconds() - start);
  if (options.backward) {
    start = thread_cpu_seconds();
    torch::autograd::grad({context}, {input.query, input.key, input.value},
                          {at::ones_like(context)});
    cost.backward_seconds = std::min(cost.backward_seconds, thread_cpu_seconds() - start);
  }
  return context.detach();
}

/// \param full the context of `full` at this length, if it was measured; set by its own run
AttentionCost measure(const HeadAttention& kind, const AttentionBenchmarkOptions& options,
                      std::int64_t length, at::Tensor& full) {
  AttentionCost cost{.kind = option_text(kind.kind), .length = length};
  cost.forward_seconds = 1e30;
  cost.backward_seconds = options.backward ? 1e30 : 0.0;
  const auto attention = make_attention(kind);
  const auto input = random_input(options, length);
  try {
    const auto start = std::chrono::steady_clock::now();
    at::Tensor context;
    {
      const MemoryWatch watch;
      context = run_once(*attention, input, options, cost);
      cost.peak_mb = watch.peak_mb();
    }
    while (seconds_since(start) < options.seconds) run_once(*attention, input, options, cost);
    if (kind.kind == AttentionKind::full) full = context;
    if (is_exact(kind.kind) && full.defined())
      cost.difference = (context - full).abs().max().item<double>();
  } catch (const OptionsError&) {
    cost.refused = true;
    cost.forward_seconds = cost.backward_seconds = 0.0;
  }
  return cost;
}

template <typename Value>
std::optional<double> exponent(const std::vector<AttentionCost>& costs, const std::string& kind,
                               const Value& value) {
  MeasuredPoints points;
  for (const auto& cost : costs)
    if (cost.kind == kind && !cost.refused && cost.length >= shortest_fitted_length)
      points.emplace_back(static_cast<double>(cost.length), value(cost));
  return fitted_exponent(points);
}

std::vector<std::string> kinds_of(const std::vector<AttentionCost>& costs) {
  std::vector<std::string> kinds;
  for (const auto& cost : costs)
    if (kinds.empty() || kinds.back() != cost.kind) kinds.push_back(cost.kind);
  return kinds;
}

std::string cost_table(const std::vector<AttentionCost>& costs) {
  std::vector<std::vector<std::string>> rows = {
      {"kind", "length", "forward ms", "backward ms", "peak MiB", "difference to full"}};
  for (const auto& cost : costs) {
    const auto length = std::to_string(cost.length);
    if (cost.refused)
      rows.push_back({cost.kind, length, "-", "-", "-", "refused: beyond its memory limit"});
    else
      rows.push_back({cost.kind, length, decimal(1e3 * cost.forward_seconds, 3),
                      decimal(1e3 * cost.backward_seconds, 3), decimal(cost.peak_mb, 1),
                      cost.difference ? concat(*cost.difference) : "-"});
  }
  return text_table(rows);
}

}  // namespace

std::optional<double> AttentionBenchmark::time_exponent(const std::string& kind) const {
  return exponent(costs, kind, [](const AttentionCost& cost) { return cost.seconds(); });
}

std::optional<double> AttentionBenchmark::memory_exponent(const std::string& kind) const {
  return exponent(costs, kind, [](const AttentionCost& cost) { return cost.peak_mb; });
}

std::optional<double> AttentionBenchmark::doubling_ratio(const std::string& kind) const {
  std::map<std::int64_t, double> seconds;
  for (const auto& cost : costs)
    if (cost.kind == kind && !cost.refused) seconds[cost.length] = cost.seconds();
  if (seconds.empty()) return std::nullopt;
  const auto [longest, longest_seconds] = *seconds.rbegin();
  const auto half = longest % 2 == 0 ? seconds.find(longest / 2) : seconds.end();
  if (half == seconds.end() || half->second <= 0.0) return std::nullopt;
  return longest_seconds / half->second;
}

std::optional<std::int64_t> AttentionBenchmark::crossover(const std::string& kind) const {
  std::map<std::int64_t, double> full;
  for (const auto& cost : costs)
    if (cost.kind == "full" && !cost.refused) full[cost.length] = cost.seconds();
  std::optional<std::int64_t> first;
  for (const auto& cost : costs) {
    if (cost.kind != kind || cost.refused || full.count(cost.length) == 0) continue;
    if (cost.seconds() >= full.at(cost.length))
      first.reset();
    else if (!first)
      first = cost.length;
  }
  return first;
}

std::string AttentionBenchmark::text() const {
  std::vector<std::vector<std::string>> growth = {{"growth with the length n", "time ~ n^p, p",
                                                   "memory ~ n^p, p", "time of the last doubling",
                                                   "faster than full from n"}};
  for (const auto& kind : kinds_of(costs)) {
    const auto time = time_exponent(kind), memory = memory_exponent(kind);
    const auto doubling = doubling_ratio(kind);
    const auto from = crossover(kind);
    if (time && memory)
      growth.push_back({kind, decimal(*time, 2), decimal(*memory, 2),
                        doubling ? concat("x ", decimal(*doubling, 2)) : "-",
                        from ? std::to_string(*from) : "-"});
  }
  return cost_table(costs) + (growth.size() > 1 ? '\n' + text_table(growth) : "");
}

nlohmann::json AttentionBenchmark::json() const {
  nlohmann::json out{{"sizes",
                      {{"heads", options.num_heads},
                       {"d_k", options.d_k},
                       {"causal", options.causal},
                       {"kinds", options.kinds}}},
                     {"costs", nlohmann::json::array()},
                     {"kinds", nlohmann::json::object()}};
  for (const auto& cost : costs)
    out["costs"].push_back({{"kind", cost.kind},
                            {"length", cost.length},
                            {"forward_seconds", cost.forward_seconds},
                            {"backward_seconds", cost.backward_seconds},
                            {"peak_mb", cost.peak_mb},
                            {"difference", json_or_null(cost.difference)},
                            {"refused", cost.refused}});
  for (const auto& kind : kinds_of(costs)) {
    out["kinds"][kind] = {{"time_exponent", json_or_null(time_exponent(kind))},
                          {"memory_exponent", json_or_null(memory_exponent(kind))},
                          {"doubling_ratio", json_or_null(doubling_ratio(kind))},
                          {"faster_than_full_from", json_or_null(crossover(kind))}};
  }
  return out;
}

AttentionBenchmark benchmark_attention(const AttentionBenchmarkOptions& options) {
  const ThreadCount one_thread(1);
  AttentionBenchmark result{.options = options, .costs = {}};
  std::map<std::int64_t, at::Tensor> full;
  Progress progress("measuring", "costs", std::ssize(options.kinds) * std::ssize(options.lengths));
  for (const auto& kind : options.kinds)
    for (const auto length : options.lengths) {
      result.costs.push_back(measure(kind, options, length, full[length]));
      progress.show(std::ssize(result.costs));
    }
  return result;
}

Plot AttentionBenchmark::plot() const {
  Plot plot{.title = "Attention",
            .x_label = "length",
            .y_label = "milliseconds",
            .log_x = true,
            .log_y = true,
            .series = {}};
  for (const auto& cost : costs) {
    if (plot.series.empty() || plot.series.back().name != cost.kind)
      plot.series.push_back({.name = cost.kind, .x = {}, .y = {}});
    if (cost.refused) continue;
    plot.series.back().x.push_back(static_cast<double>(cost.length));
    plot.series.back().y.push_back(1e3 * cost.seconds());
  }
  return plot;
}

}  // namespace dragoman
