#include "dragoman/complexity/loop_benchmark.h"

#include "dragoman/complexity/pass_cost.h"
#include "dragoman/core/error.h"
#include "dragoman/kernels/cached_attention.h"
#include "dragoman/kernels/row_functions.h"
#include "dragoman/search/top_candidates.h"

#include <array>
#include <cmath>

namespace dragoman {

namespace {

/// Numbers between -8 and 8 in no order.
std::vector<float> scattered(std::size_t count) {
  std::vector<float> numbers(count);
  for (std::size_t i = 0; i < count; ++i)
    numbers[i] = 8.0F * std::sin(static_cast<float>(i * i % 9973));
  return numbers;
}

LoopSpeed measure_norm(std::int64_t rows, std::int64_t width, double seconds) {
  auto x = scattered(static_cast<std::size_t>(rows * width));
  std::vector<float> y(x.size());
  const RowNorm norm{.weight = x.data(), .bias = x.data()};
  return {
      concat("layer_norm_rows, ", rows, " rows of ", width),
      seconds_of_call([&] { layer_norm_rows(x.data(), rows, width, norm, y.data()); }, seconds)};
}

LoopSpeed measure_attention(std::int64_t heads, std::int64_t d_k, double seconds) {
  constexpr std::int64_t rows = 64, tokens = 20;
  const auto width = heads * d_k;
  const auto numbers = scattered(static_cast<std::size_t>(rows * width));
  std::vector<float> context(numbers.size());
  std::vector<std::int64_t> origin(rows * tokens);
  for (std::size_t i = 0; i < origin.size(); ++i) origin[i] = static_cast<std::int64_t>(i) % rows;
  const CachedAttention input{.rows = rows,
                              .num_heads = heads,
                              .d_k = d_k,
                              .d_v = d_k,
                              .scale = 0.1F,
                              .query = numbers.data(),
                              .keys = std::vector(tokens, numbers.data()),
                              .values = std::vector(tokens, numbers.data()),
                              .origin = origin.data()};
  return {concat("cached_attention, ", rows, " rows, ", heads, " heads of ", d_k, ", ", tokens,
                 " tokens"),
          seconds_of_call([&] { cached_attention(input, context.data()); }, seconds)};
}

}  // namespace

double seconds_of_call(const std::function<void()>& run, double seconds) {
  constexpr double measurable = 1e-4;  // many ticks of the clock
  const double once = fastest_run(run, 0.0);
  const int calls = once < measurable ? static_cast<int>(measurable / (once + 1e-8)) + 1 : 1;
  const auto all = [&run, calls] {
    for (int call = 0; call < calls; ++call) run();
  };
  return fastest_run(all, seconds) / calls;
}

std::vector<LoopSpeed> measure_loops(double seconds) {
  std::vector<LoopSpeed> speeds;
  for (const std::size_t vocab_size : {8000, 32000}) {
    const auto logits = scattered(vocab_size);
    double sum = 0.0;
    speeds.push_back({concat("log_sum_exp, ", vocab_size, " logits"),
                      seconds_of_call([&] { sum += log_sum_exp(std::span(logits)); }, seconds)});
    std::array<Candidate, 8> best;
    speeds.push_back({concat("top_candidates, ", best.size(), " of ", vocab_size),
                      seconds_of_call([&] { top_candidates(std::span(logits), best); }, seconds)});
  }
  speeds.push_back(measure_norm(136, 128, seconds));
  speeds.push_back(measure_norm(136, 512, seconds));
  speeds.push_back(measure_attention(4, 32, seconds));
  speeds.push_back(measure_attention(8, 64, seconds));
  return speeds;
}

}  // namespace dragoman
