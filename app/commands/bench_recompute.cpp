#include "commands/bench_output.h"
#include "commands/commands.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/cost/recompute_benchmark.h"

#include <memory>

namespace dragoman::app {

namespace {

struct BenchRecompute {
  std::string preset = "tiny";
  std::vector<std::string> overrides, kinds = {"none", "all", "sqrt"};
  RecomputeOptions options;
  BenchOutput output;

  void run() {
    const auto chosen = preset_run_options(preset, overrides);
    options.model = chosen.model;
    options.recompute_every = chosen.train.recompute_every;
    options.kinds.clear();
    for (const auto& kind : kinds) options.kinds.push_back(nlohmann::json(kind).get<Recompute>());
    output.print(benchmark_recompute(options));
  }
};

}  // namespace

void add_bench_recompute(CLI::App& bench) {
  auto command = std::make_shared<BenchRecompute>();
  auto* sub = bench.add_subcommand(
      "recompute", "Gradient checkpointing (train.recompute): memory and time by number of layers");
  sub->add_option("--kinds", command->kinds, "Values of train.recompute; others are compared with the first")
      ->check(CLI::IsMember(option_names("train.recompute")))
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--layers", command->options.layers, "Layers of encoder and decoder each")
      ->check(CLI::Range(1, 24))
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--preset", command->preset, "Model size, with new weights")
      ->check(CLI::IsMember(preset_names()))
      ->capture_default_str();
  sub->add_option("--set", command->overrides, "Override an option: train.recompute_every=3 (repeatable)");
  sub->add_option("--sentences", command->options.sentences, "Sentences of the batch")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub->add_option("-n,--length", command->options.length, "Tokens of source and target")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  sub->add_option("--seconds", command->options.seconds, "Measuring time of one row")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->output.add_options(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
