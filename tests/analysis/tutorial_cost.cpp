#include "analysis/tutorial_checks.h"
#include "dragoman/complexity/layer_part.h"
#include "dragoman/core/concat.h"
#include "dragoman/tensor/recompute.h"

namespace test {

namespace tutorial_cost {

namespace {

using dragoman::concat;
using dragoman::LayerPart;
using dragoman::LayerSizes;
using dragoman::multiply_adds;

LayerSizes sizes_of(std::int64_t length, std::int64_t d_model) {
  return {.length = length, .d_model = d_model, .num_heads = 1, .d_ff = 4 * d_model};
}

void check_multiply_adds(TutorialCase& example) {
  const auto sizes = sizes_of(1, 64);
  const auto in_d = [&sizes](std::int64_t length) {
    const auto multiple = length / sizes.d_model;
    return concat("n = ", multiple == 1 ? "" : std::to_string(multiple), "d");
  };
  example.check_equal("crossover_core_equals_projections", in_d(core_equals_projections(sizes)));
  example.check_equal("crossover_core_equals_rnn", in_d(core_equals_recurrent(sizes)));
  const auto& samples = golden_list(example.all_correct(), "samples");
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto sample = concat("samples/", i, "/");
    const auto of = sizes_of(example.correct(sample + "n"), example.correct(sample + "d"));
    const auto check = [&](const char* name, LayerPart part) {
      example.check_equal(sample + name, multiply_adds(part, of));
    };
    check("attention_core_macs", LayerPart::attention);
    check("projections_macs", LayerPart::projections);
    check("ffn_macs_dff_4d", LayerPart::feed_forward);
    check("vanilla_rnn_macs", LayerPart::recurrent);
  }
}

/// The weights of one head; `numbers_held` counts its context too.
void check_memory(TutorialCase& example) {
  const auto sizes = sizes_of(example.stated_size("n = "), 64);
  const auto entries = numbers_held(LayerPart::attention, sizes) - sizes.length * sizes.d_model;
  const auto text = example.json().at("definition").get<std::string>();
  const auto bytes = entries * std::stoll(text.substr(text.find(", ") + 2));  // ", 4 bytes"
  example.check_equal("entries", entries);
  example.check_equal("bytes", bytes);
  example.check("GB", static_cast<double>(bytes) / 1e9);
  example.check("GiB", static_cast<double>(bytes) / (1 << 30));
}

/// Between the first and the last position; the recurrent layer takes a step at the first too.
void check_paths(TutorialCase& example) {
  const auto sizes = sizes_of(example.correct("n"), 64);
  example.check_equal("attention", path_length(LayerPart::attention, sizes));
  example.check_equal("recurrent", path_length(LayerPart::recurrent, sizes) - 1);
}

/// The longest sequence for which linear attention has no fewer multiply-adds than softmax
/// attention: d_k.
void check_linear(TutorialCase& example) {
  example.is_prose("crossover");
  LayerSizes sizes{.length = 1, .d_model = 96, .num_heads = 4};
  while (multiply_adds(LayerPart::linear, sizes) >= multiply_adds(LayerPart::attention, sizes))
    ++sizes.length;
  CHECK(sizes.length - 1 == sizes.d_model / sizes.num_heads);
}

/// Forward passes of a segment that is recomputed, against one and a backward pass of two.
void check_recomputation(TutorialCase& example) {
  std::int64_t forward = 0;
  const auto segment = [&forward](const at::Tensor& x, const at::Tensor& /*memory*/) {
    ++forward;
    return x.square();
  };
  const auto x = at::ones({3}, at::kDouble).requires_grad_();
  dragoman::recomputed({x, {}}, segment).x.sum().backward();
  constexpr double backward = 2.0;
  example.check("compute_factor_if_backward_is_twice_forward",
                (static_cast<double>(forward) + backward) / (1.0 + backward));
}

}  // namespace

}  // namespace tutorial_cost

TutorialChecks cost_checks() {
  using namespace tutorial_cost;
  return {{"000.complexity", check_multiply_adds},
          {"001.attention_memory", check_memory},
          {"001.checkpointing", check_recomputation},
          {"001.linear", check_linear},
          {"004.path_length", check_paths}};
}

}  // namespace test
