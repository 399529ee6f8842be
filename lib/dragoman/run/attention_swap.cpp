#include "dragoman/run/attention_swap.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

namespace dragoman {

namespace {

void expect_same_function(const StackAttention& trained, const StackAttention& now,
                          std::int64_t layers, std::int64_t heads, const std::string& place) {
  if (same_function(trained, now, layers, heads)) return;
  throw OptionsError(concat(
      place, ": the weights were trained with another attention, and only ",
      "full, tiled and fused_torch compute the same; choose one of these, ",
      place.starts_with("--set") ? "train with it, or add --any-attention" : "or train with it"));
}

}  // namespace

RunOptions override_trained(const RunOptions& trained, const std::vector<std::string>& overrides,
                            AttentionSwap swap, const std::string& option) {
  auto options = with_overrides(trained, overrides, {}, option);
  for (const auto& key : changed_fixed_keys(trained, options))
    if (key.starts_with("model.") && !key.ends_with("_attention"))
      throw OptionsError(
          concat(option, ' ', key, ": is fixed by the trained weights; leave it out"));
  if (swap == AttentionSwap::any) return options;
  const auto &before = trained.model, &now = options.model;
  expect_same_function(before.encoder_attention, now.encoder_attention, now.encoder_layers,
                       now.heads_of(StackSide::encoder), option + " model.encoder_attention");
  expect_same_function(before.decoder_attention, now.decoder_attention, now.decoder_layers,
                       now.heads_of(StackSide::decoder), option + " model.decoder_attention");
  expect_same_function(before.cross_attention, now.cross_attention, now.decoder_layers,
                       now.heads_of(StackSide::cross), option + " model.cross_attention");
  return options;
}

}  // namespace dragoman
