#include "commands/bench_output.h"
#include "commands/commands.h"
#include "commands/layer_sizes.h"

#include "dragoman/complexity/complexity_benchmark.h"

#include <algorithm>
#include <memory>

namespace dragoman::app {

namespace {

struct BenchComplexity {
  ComplexityOptions options;
  std::int64_t shortest = 128, longest = 2048;
  BenchOutput output;

  void run() {
    check_heads(options.sizes);
    options.lengths = doubling_lengths(shortest, longest);
    auto largest = options.sizes;
    largest.length = std::max(shortest, longest);
    expect_layer_memory("bench complexity", largest, 1, sizeof(float));
    output.expect_place();
    options.sizes.d_ff = 4 * options.sizes.d_model;
    output.print(benchmark_complexity(options));
  }
};

}  // namespace

void add_bench_complexity(CLI::App& bench) {
  auto command = std::make_shared<BenchComplexity>();
  auto* sub = bench.add_subcommand(
      "complexity",
      "What layers cost by sequence length: formulas, exact multiply-adds, time and memory of "
      "attention, local and linear attention, projections, feed-forward, recurrent, "
      "LSTM, convolution");
  sub->add_option("-n,--length", command->options.sizes.length,
                  "Positions that the formulas are computed for")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  add_layer_sizes(*sub, command->options.sizes);
  sub->add_option("--min-length", command->shortest,
                  "Shortest sequence measured; lengths double from it")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  sub->add_option("--max-length", command->longest, "Longest sequence measured")
      ->check(CLI::Range(2, 1 << 20))
      ->capture_default_str();
  add_seconds(*sub, command->options.seconds, "Measuring time of one part at one length");
  command->output.add_options(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
