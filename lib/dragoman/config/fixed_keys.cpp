#include "dragoman/config/option_tree.h"
#include "dragoman/config/parse.h"
#include "dragoman/config/unused_settings.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dragoman {

namespace {

// What decides the weights by rounding at most, and not the order of the batches. Workers draw their
// own dropout, but like the processes their number may follow the machine: training warns if it has
// changed. The tokenizer is learned before the first
// checkpoint, and kept. Training text may have other paths; it is the same by its checksum.
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

}  // namespace

std::vector<std::string> changed_fixed_keys(const RunOptions& before, const RunOptions& now) {
  const nlohmann::json old_values = before;
  const nlohmann::json new_values = now;
  std::vector<std::string> changed;
  for (const auto& key : option_keys()) {
    const auto pointer = option_pointer(key);
    const bool has_changed = !is_free(key) && old_values.at(pointer) != new_values.at(pointer);
    if (has_changed && (is_read(old_values, key) || is_read(new_values, key)))
      changed.push_back(key);
  }
  return changed;
}

}  // namespace dragoman
