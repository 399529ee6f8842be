#include "commands/layer_sizes.h"

#include "dragoman/core/error.h"

namespace dragoman::app {

void add_layer_sizes(CLI::App& sub, LayerSizes& sizes) {
  sub.add_option("--d-model", sizes.d_model, "Features of a position (d)")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  sub.add_option("--heads", sizes.num_heads, "Heads of attention (h)")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  sub.add_option("--radius", sizes.radius, "Positions that local attention sees to each side (r)")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  sub.add_option("--kernel", sizes.kernel, "Positions that the convolution reads (k)")
      ->check(CLI::Range(2, 1024))
      ->capture_default_str();
}

void check_heads(const LayerSizes& sizes) {
  if (sizes.d_model % sizes.num_heads != 0)
    throw OptionsError(concat("bench: --d-model ", sizes.d_model, " cannot be split into --heads ",
                              sizes.num_heads, "; choose a divisor of it"));
}

}  // namespace dragoman::app
