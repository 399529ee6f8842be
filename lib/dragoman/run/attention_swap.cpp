#include "dragoman/run/attention_swap.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"

namespace dragoman {

namespace {

void expect_same_function(const StackAttention& trained, const StackAttention& now,
                          const std::string& key, std::int64_t layers, std::int64_t heads) {
  if (same_function(trained, now, layers, heads)) return;
  throw OptionsError(
      concat("--set ", key,
             ": the weights were trained with another attention, and "
             "only full, tiled and fused_torch compute the same; choose one of these, "
             "train with it, or add --any-attention"));
}

}  // namespace

RunOptions override_trained(const RunOptions& trained, const std::vector<std::string>& overrides,
                            AttentionSwap swap) {
  auto options = with_overrides(trained, overrides);
  for (const auto& key : changed_fixed_keys(trained, options))
    if (key.starts_with("model.") && !key.ends_with("_attention"))
      throw OptionsError(concat("--set ", key, ": is fixed by the trained weights; leave it out"));
  if (swap == AttentionSwap::any) return options;
  const auto &before = trained.model, &now = options.model;
  expect_same_function(before.encoder_attention, now.encoder_attention, "model.encoder_attention",
                       now.encoder_layers, now.num_heads);
  expect_same_function(before.decoder_attention, now.decoder_attention, "model.decoder_attention",
                       now.decoder_layers, now.num_heads);
  expect_same_function(before.cross_attention, now.cross_attention, "model.cross_attention",
                       now.decoder_layers, now.num_heads);
  return options;
}

}  // namespace dragoman
