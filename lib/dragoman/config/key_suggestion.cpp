#include "dragoman/config/key_suggestion.h"

#include "dragoman/config/option_table.h"
#include "dragoman/core/immortal.h"
#include "dragoman/core/nearest_word.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <utility>

namespace dragoman {

namespace {

using Keys = std::vector<std::string>;

/// What other programs (fairseq, Marian, JoeyNMT, OpenNMT, CTranslate2) call these options.
std::map<std::string, Keys, std::less<>> all_foreign_names() {
  const Keys rate = {"train.learning_rate"}, warmup = {"train.warmup_steps"},
             batch = {"train.batch_tokens", "train.max_sentences", "search.batch_tokens"},
             tokens = {"train.batch_tokens", "search.batch_tokens"}, steps = {"train.max_steps"},
             epochs = {"train.max_epochs"},
             layers = {"model.encoder_layers", "model.decoder_layers"}, width = {"model.d_model"},
             inner = {"model.d_ff"}, beam = {"search.beam_size"},
             penalty = {"search.length_penalty"},
             precision = {"train.precision", "search.precision"},
             validation = {"train.validate_every"}, saving = {"train.checkpoint_every"},
             accumulate = {"train.accumulate"}, clip = {"train.clip_norm"},
             pieces = {"tokenizer.vocab_size"}, activation = {"model.activation"};
  return {
      {"lr", rate},
      {"learn_rate", rate},
      {"warmup", warmup},
      {"warmup_updates", warmup},
      {"lr_warmup", warmup},
      {"learning_rate_warmup", warmup},
      {"batch_size", batch},
      {"mini_batch", batch},
      {"batch", batch},
      {"max_tokens", tokens},
      {"max_update", steps},
      {"max_updates", steps},
      {"updates", steps},
      {"train_steps", steps},
      {"steps", steps},
      {"after_batches", steps},
      {"epochs", epochs},
      {"epoch", epochs},
      {"max_epoch", epochs},
      {"num_epochs", epochs},
      {"after_epochs", epochs},
      {"max_time", {"train.max_seconds"}},
      {"early_stopping", {"train.patience"}},
      {"layers", layers},
      {"num_layers", layers},
      {"enc_layers", {"model.encoder_layers"}},
      {"enc_depth", {"model.encoder_layers"}},
      {"dec_layers", {"model.decoder_layers"}},
      {"dec_depth", {"model.decoder_layers"}},
      {"hidden_size", width},
      {"embedding_dim", width},
      {"dim_emb", width},
      {"dim_model", width},
      {"ff_size", inner},
      {"ffn_dim", inner},
      {"dim_feedforward", inner},
      {"transformer_ff", inner},
      {"transformer_dim_ffn", inner},
      {"heads", {"model.num_heads"}},
      {"attention_heads", {"model.num_heads"}},
      {"encoder_attention_heads", {"model.num_heads"}},
      {"decoder_attention_heads", {"model.decoder_num_heads"}},
      {"transformer_heads", {"model.num_heads"}},
      {"activation_fn", activation},
      {"vocab", pieces},
      {"beam", beam},
      {"lenpen", penalty},
      {"alpha", penalty},
      {"normalize", penalty},
      {"nbest", {"search.n_best"}},
      {"num_hypotheses", {"search.n_best"}},
      {"fp16", precision},
      {"bf16", precision},
      {"half", precision},
      {"amp", precision},
      {"valid_freq", validation},
      {"valid_steps", validation},
      {"validate_interval_updates", validation},
      {"save_freq", saving},
      {"save_every", saving},
      {"save_interval", saving},
      {"eval_every", validation},
      {"eval_steps", validation},
      {"save_checkpoint_steps", saving},
      {"save_interval_updates", saving},
      {"update_freq", accumulate},
      {"optimizer_delay", accumulate},
      {"accum_count", accumulate},
      {"clip_gradients", clip},
      {"max_grad_norm", clip},
      {"exponential_smoothing", {"train.ema_decay"}},
      {"gpu", {"train.device"}},
      {"devices", {"train.device"}},
      {"fp32", precision},
  };
}

std::string_view leaf_of(std::string_view key) { return key.substr(key.rfind('.') + 1); }

std::string_view section_of(std::string_view key) {
  const auto dot = key.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : key.substr(0, dot);
}

/// In the form of our keys: "Batch-Size" = "batch_size".
std::string normalized(std::string_view typed) {
  std::string text(typed);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    c = c == '-' ? '_' : static_cast<char>(std::tolower(byte));
  }
  return text;
}

template <typename Condition>
Keys keys_where(const Condition& condition) {
  Keys keys;
  for (const auto& row : option_table())
    if (condition(row.key)) keys.push_back(row.key);
  return keys;
}

Keys keys_named(std::string_view leaf) {
  return keys_where([leaf](const std::string& key) { return leaf_of(key) == leaf; });
}

/// Those of `section`, if there are any; else all.
Keys of_section(Keys keys, std::string_view section) {
  Keys own;
  std::ranges::copy_if(keys, std::back_inserter(own),
                       [section](const std::string& key) { return section_of(key) == section; });
  return own.empty() ? keys : own;
}

/// The options of `section` alone whose name is near.
Keys near_in_section(std::string_view section, std::string_view leaf) {
  Keys leaves;
  for (const auto& key :
       keys_where([section](const std::string& key) { return section_of(key) == section; }))
    leaves.emplace_back(leaf_of(key));
  const auto found = nearest_word(leaf, leaves);
  if (found.empty()) return {};
  return {section.empty() ? found : std::string(section) + '.' + found};
}

Keys near_anywhere(std::string_view typed) {
  const auto whole = nearest_word(typed, keys_where([](const std::string&) { return true; }));
  if (!whole.empty()) return {whole};
  Keys leaves;
  for (const auto& row : option_table()) leaves.emplace_back(leaf_of(row.key));
  const auto leaf = nearest_word(leaf_of(typed), leaves);
  return leaf.empty() ? Keys{} : keys_named(leaf);
}

}  // namespace

std::vector<std::string> similar_keys(std::string_view typed) {
  const auto key = normalized(typed);
  static const auto& foreign_names = immortal(all_foreign_names());
  auto named = keys_named(leaf_of(key));
  if (const auto found = foreign_names.find(leaf_of(key)); found != foreign_names.end())
    named.insert(named.end(), found->second.begin(), found->second.end());
  if (!named.empty()) return of_section(std::move(named), section_of(key));
  if (auto near = near_in_section(section_of(key), leaf_of(key)); !near.empty()) return near;
  return near_anywhere(key);
}

std::string key_suggestion(std::string_view typed) {
  std::string text;
  for (const auto& key : similar_keys(typed)) text += (text.empty() ? "" : " or ") + key;
  return text.empty() ? text : "did you mean " + text + '?';
}

}  // namespace dragoman
