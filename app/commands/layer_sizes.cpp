#include "commands/layer_sizes.h"

#include "commands/memory_bound.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>

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

std::vector<std::int64_t> doubling_lengths(std::int64_t shortest, std::int64_t longest) {
  if (shortest > longest)
    throw OptionsError(concat("--min-length: ", shortest, " is more than --max-length ", longest,
                              "; choose a smaller one"));
  std::vector<std::int64_t> lengths;
  for (auto length = shortest; length<longest; length = length> longest / 2 ? longest : 2 * length)
    lengths.push_back(length);
  lengths.push_back(longest);
  return lengths;
}

void expect_positions(const ModelOptions& model, std::int64_t longest, std::string_view option) {
  if (longest > model.longest_sequence())
    throw OptionsError(concat(option, ": ", longest, " is more than the ", model.longest_sequence(),
                              " positions that the model has; choose a smaller one, or another "
                              "model.max_positions"));
}

void expect_layer_memory(std::string_view command, const LayerSizes& sizes, std::int64_t sequences,
                         double number_bytes) {
  const auto d = static_cast<double>(sizes.d_model), n = static_cast<double>(sizes.length);
  const double maps = static_cast<double>(std::max<std::int64_t>(8, sizes.kernel));  // 8: LSTM
  const double weights = 2 * maps * d * d;  // with their gradients
  const double activations = static_cast<double>(sizes.num_heads) * n * n + 4 * n * d;
  expect_memory(command, number_bytes * (weights + static_cast<double>(sequences) * activations),
                "choose a smaller length or width");
}

}  // namespace dragoman::app
