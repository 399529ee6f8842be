#include "commands/bench_output.h"
#include "commands/commands.h"
#include "commands/layer_sizes.h"
#include "commands/memory_bound.h"
#include "commands/option_flags.h"

#include "dragoman/complexity/parallel_benchmark.h"
#include "dragoman/config/overrides.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"

#include <algorithm>
#include <memory>

namespace dragoman::app {

namespace {

struct BenchParallel {
  std::string preset = "tiny";
  std::vector<std::string> overrides;
  ParallelOptions options;
  BenchOutput output;

  void run() {
    expect_settings_of({"model", "tokenizer.vocab_size"}, overrides,
                       "has no effect here; give model.KEY=VALUE");
    const auto chosen = preset_run_options(preset, overrides);
    options.model = chosen.model;
    options.vocab_size = chosen.tokenizer.vocab_size;
    const auto longest = *std::ranges::max_element(options.lengths);
    expect_positions(options.model, longest, "--lengths");
    const auto tokens = static_cast<double>(options.sentences) * static_cast<double>(longest);
    expect_memory("bench parallel",
                  2 * sizeof(float) * tokens * static_cast<double>(options.vocab_size),
                  "choose smaller --lengths or fewer --sentences");
    output.expect_place();
    output.print(benchmark_parallel(options));
  }
};

}  // namespace

void add_bench_parallel(CLI::App& bench) {
  auto command = std::make_shared<BenchParallel>();
  auto* sub = bench.add_subcommand(
      "parallel", "A known target in one pass (teacher forcing) against one token at a time");
  sub->add_option("--preset", command->preset, "Model size, with random weights")
      ->check(CLI::IsMember(preset_names()))
      ->capture_default_str();
  add_set_option(*sub, command->overrides, "model.decoder_layers=2");
  sub->add_option("--lengths", command->options.lengths, "Tokens of source and target")
      ->check(CLI::Range(1, 16384))
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--sentences", command->options.sentences, "Sentences of the batch")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  add_seconds(*sub, command->options.seconds, "Measuring time of one method at one length");
  command->output.add_options(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
