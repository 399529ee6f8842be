#include "dragoman/convert/required_options.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dragoman {

void RequiredOptions::expect(bool holds, const char* key, const char* only) {
  if (!holds) missing_.push_back(concat("model.", key, ": ", only));
}

void RequiredOptions::expect_usual_layers(const ModelOptions& model) {
  expect(model.residual, "residual", "true");
  expect(model.scale == AttentionScale::sqrt_dk, "scale", "sqrt_dk");
  bool keys_divide = true, values_divide = true;
  for (const auto side : {StackSide::encoder, StackSide::decoder}) {
    const auto of_side = model.with_heads_of(side);
    keys_divide &= of_side.key_width() * of_side.num_heads == model.d_model;
    values_divide &= of_side.value_width() * of_side.num_heads == model.d_model;
  }
  expect(keys_divide, "d_k", "0");
  expect(values_divide, "d_v", "0");
  expect(model.encoder_layer == EncoderLayerKind::attention, "encoder_layer", "attention");
  for (const auto& [stack, key] : {std::pair{&model.encoder_attention, "encoder_attention"},
                                   {&model.decoder_attention, "decoder_attention"},
                                   {&model.cross_attention, "cross_attention"}}) {
    expect(is_exact(*stack), key, "full attention");
    const bool is_whole = std::ranges::all_of(
        stack->layers, [](const auto& layer) { return layer.pruned_heads.empty(); });
    expect(is_whole, key, "attention without pruned heads");
    pruned_ += is_whole ? 0 : 1;
  }
}

void RequiredOptions::check() const {
  if (!missing_.empty())
    throw OptionsError(concat(format_, " needs ", joined(missing_),
                              pruned_ == std::ssize(missing_)
                                  ? "; give the run from before the pruning"
                                  : "; train with these settings"));
}

}  // namespace dragoman
