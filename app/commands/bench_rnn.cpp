#include "commands/bench_output.h"
#include "commands/commands.h"
#include "commands/layer_sizes.h"

#include "dragoman/complexity/recurrent_benchmark.h"

#include <algorithm>
#include <memory>

namespace dragoman::app {

namespace {

struct BenchRnn {
  RecurrentOptions options;
  BenchOutput output;

  void run() const {
    check_heads(options.sizes);
    auto largest = options.sizes;
    largest.length = *std::max_element(options.lengths.begin(), options.lengths.end());
    expect_layer_memory("bench rnn", largest, options.sentences, sizeof(float));
    output.expect_place();
    output.print(benchmark_recurrent(options));
  }
};

}  // namespace

void add_bench_rnn(CLI::App& bench) {
  auto command = std::make_shared<BenchRnn>();
  auto& options = command->options;
  auto* sub = bench.add_subcommand(
      "rnn",
      "A self-attention layer against a simple recurrent layer and an LSTM, for n < d and n > d");
  sub->add_option("--lengths", options.lengths, "Positions of the sequences (n)")
      ->check(CLI::Range(1, 65536))
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--d-model", options.sizes.d_model, "Features of a position (d)")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  sub->add_option("--heads", options.sizes.num_heads, "Heads of attention")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub->add_option("--sentences", options.sentences, "Sequences of the batch")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  add_seconds(*sub, options.seconds, "Measuring time of one layer at one length");
  command->output.add_options(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
