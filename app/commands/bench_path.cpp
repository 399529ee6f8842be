#include "commands/bench_output.h"
#include "commands/commands.h"
#include "commands/layer_sizes.h"

#include "dragoman/complexity/gradient_reach.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace dragoman::app {

namespace {

/// The parts that connect positions.
const std::vector<LayerPart> joining_parts = {LayerPart::attention, LayerPart::linear,
                                              LayerPart::local,     LayerPart::convolution,
                                              LayerPart::recurrent, LayerPart::lstm};

struct BenchPath {
  LayerSizes sizes{.length = 65, .d_model = 16, .num_heads = 2, .radius = 8};
  BenchOutput output;

  void run() const {
    check_heads(sizes);
    std::int64_t layers = 1;  // of the part that needs most, each of which keeps its activations
    for (const auto part : joining_parts)
      layers = std::max(layers, layers_to_span_sequence(part, sizes) + 1);
    expect_layer_memory("bench path", sizes, layers, sizeof(double));
    output.expect_place();
    output.print(measure_reach(joining_parts, sizes));
  }
};

}  // namespace

void add_bench_path(CLI::App& bench) {
  auto command = std::make_shared<BenchPath>();
  auto* sub = bench.add_subcommand(
      "path",
      "How many layers it takes until the last position depends on the first, by gradients");
  sub->add_option("-n,--length", command->sizes.length, "Positions of the sequence")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  add_layer_sizes(*sub, command->sizes);
  command->output.add_options(*sub);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
