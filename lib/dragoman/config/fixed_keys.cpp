#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/unused_settings.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dragoman {

namespace {

// What decides the weights by rounding at most, and not the order of the batches. Workers draw
// their own dropout, but like the processes their number may follow the machine: training warns if
// it has changed. The tokenizer is learned before the first checkpoint, and kept. Training text may
// have other paths; it is the same by its checksum.
constexpr std::array<std::string_view, 28> free_keys = {
    "tokenizer.hard_vocab_limit",
    "tokenizer.max_sentences",
    "data.train_source",
    "data.train_target",
    "data.valid_source",
    "data.valid_target",
    "data.prefetch",
    "train.max_steps",
    "train.max_epochs",
    "train.max_seconds",
    "train.early_stopping_metric",
    "train.patience",
    "train.max_skipped",
    "train.recompute",
    "train.recompute_every",
    "train.log_every",
    "train.validate_every",
    "train.validate_translations",
    "train.validate_sentences",
    "train.bleu_tokenizer",
    "train.checkpoint_every",
    "train.keep_checkpoints",
    "train.tensorboard",
    "train.device",
    "train.tf32",
    "train.threads",
    "train.workers",
    "search",
};

bool is_free(std::string_view key) {
  const auto covers = [key](std::string_view free) {
    return key == free || (key.starts_with(free) && key[free.size()] == '.');
  };
  return std::any_of(free_keys.begin(), free_keys.end(), covers);
}

/// `before` with the attention of `now` wherever that computes the same.
ModelOptions with_same_attention(ModelOptions before, const ModelOptions& now) {
  const auto take = [&](StackAttention ModelOptions::* stack, std::int64_t ModelOptions::* layers,
                        StackSide side) {
    const auto heads = now.heads_of(side);
    if (before.*layers == now.*layers && before.heads_of(side) == heads &&
        same_function(before.*stack, now.*stack, now.*layers, heads))
      before.*stack = now.*stack;
  };
  take(&ModelOptions::encoder_attention, &ModelOptions::encoder_layers, StackSide::encoder);
  take(&ModelOptions::decoder_attention, &ModelOptions::decoder_layers, StackSide::decoder);
  take(&ModelOptions::cross_attention, &ModelOptions::decoder_layers, StackSide::cross);
  return before;
}

}  // namespace

std::vector<std::string> changed_fixed_keys(const RunOptions& before, const RunOptions& now) {
  auto compared = before;
  compared.model = with_same_attention(before.model, now.model);
  const nlohmann::json old_values = compared, new_values = now;
  auto keys = option_keys();
  std::erase_if(keys, [&](const std::string& key) {
    return is_free(key) || !has_changed(old_values, new_values, key);
  });
  return keys;
}

}  // namespace dragoman
