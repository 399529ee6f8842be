#include "commands/bench_output.h"
#include "commands/commands.h"
#include "commands/layer_sizes.h"
#include "commands/memory_bound.h"
#include "commands/option_flags.h"

#include "dragoman/complexity/recompute_benchmark.h"
#include "dragoman/config/option_names.h"
#include "dragoman/config/overrides.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/presets.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>
#include <memory>

namespace dragoman::app {

namespace {

struct BenchRecompute {
  std::string preset = "tiny";
  std::vector<std::string> overrides, kinds = {"none", "all", "sqrt"};
  RecomputeOptions options;
  BenchOutput output;

  void run() {
    const auto chosen = preset_run_options(preset, of_kinds());
    options.model = chosen.model;
    options.recompute_every = chosen.train.recompute_every;
    expect_positions(options.model, options.length, "--length");
    expect_kept_layers();
    output.expect_place();
    options.kinds.clear();
    for (const auto& kind : kinds) options.kinds.push_back(nlohmann::json(kind).get<Recompute>());
    output.print(benchmark_recompute(options));
  }

  /// The settings with the kind that `train.recompute_every` is for.
  std::vector<std::string> of_kinds() const {
    for (const auto& [key, place] : read_overrides(overrides, {}).places)
      for (const auto& [fixed, option] : {std::pair{"train.recompute", "--kinds"},
                                          {"model.encoder_layers", "--layers"},
                                          {"model.decoder_layers", "--layers"}})
        if (key == fixed)
          throw OptionsError(concat(place, ": is what ", option, " varies; give ", option));
    expect_settings_of({"model", "train.recompute_every"}, overrides,
                       "has no effect here; give model.KEY=VALUE or train.recompute_every=N");
    auto all = overrides;
    if (std::ranges::find(kinds, "every") != kinds.end()) all.push_back("train.recompute=every");
    return all;
  }

  /// Each layer keeps at least its attention's weights and a few vectors of each position.
  void expect_kept_layers() const {
    constexpr double vectors = 8;
    const auto n = static_cast<double>(options.length);
    const auto layers =
        2.0 * static_cast<double>(*std::max_element(options.layers.begin(), options.layers.end()));
    const auto& model = options.model;
    const auto heads = static_cast<double>(model.num_heads + model.heads_of(StackSide::decoder));
    const auto of_sentence = n * n * heads / 2.0 + vectors * n * static_cast<double>(model.d_model);
    expect_memory("bench recompute",
                  sizeof(float) * layers * static_cast<double>(options.sentences) * of_sentence,
                  "choose a smaller --length, fewer --sentences or --layers");
  }
};

}  // namespace

void add_bench_recompute(CLI::App& bench) {
  auto command = std::make_shared<BenchRecompute>();
  auto* sub = bench.add_subcommand(
      "recompute", "Gradient checkpointing (train.recompute): memory and time by number of layers");
  sub->add_option("--kinds", command->kinds,
                  "Values of train.recompute; others are compared with the first")
      ->check(CLI::IsMember(option_names("train.recompute")))
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--layers", command->options.layers, "Layers of encoder and decoder each")
      ->check(CLI::Range(1, 24))
      ->delimiter(',')
      ->capture_default_str();
  sub->add_option("--preset", command->preset, "Model size, with random weights")
      ->check(CLI::IsMember(preset_names()))
      ->capture_default_str();
  add_set_option(*sub, command->overrides, "train.recompute_every=3");
  sub->add_option("--sentences", command->options.sentences, "Sentences of the batch")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  sub->add_option("-n,--length", command->options.length, "Tokens of source and target")
      ->check(CLI::Range(1, 16384))
      ->capture_default_str();
  add_seconds(*sub, command->options.seconds, "Measuring time of one row");
  command->output.add_options(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
