#include "dragoman/config/unused_settings.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/immortal.h"
#include "dragoman/core/joined.h"

#include <algorithm>

namespace dragoman {

namespace {

using nlohmann::json;

/// An option that is read only while another has one of some values or, without `values`, is not
/// empty.
struct Use {
  std::string key, of;
  json values = json::array();
};

void add_attention_uses(std::vector<Use>& uses, const std::string& key) {
  const json windows = {"local", "dilated", "global_local", "longformer"};
  const json global = {"global_local", "longformer"};
  const auto add = [&](const char* name, const json& kinds) {
    uses.push_back({key + '.' + name, key + ".kind", kinds});
  };
  add("radius", windows);
  add("dilation", {"dilated", "longformer"});
  add("stride", {"strided", "strided_relative", "sparse_strided", "sparse_fixed"});
  add("summary", json::array({"sparse_fixed"}));
  add("global_positions", global);
  add("global_tokens", global);
  add("block", json::array({"tiled"}));
  add("rank", json::array({"low_rank"}));
  add("max_length", json::array({"low_rank"}));
  add("limit_mb", {"full", "fused_torch"});
}

std::vector<Use> all_uses() {
  const auto only = [](const json& value) { return json::array({value}); };
  std::vector<Use> uses = {
      {"model.max_positions", "model.position", only("learned")},
      {"model.sinusoids", "model.position", only("sinusoidal")},
      {"model.embed_scale_value", "model.embed_scale", only(true)},
      {"model.scale_value", "model.scale", only("value")},
      {"model.conv_width", "model.encoder_layer", {"conv", "conv_attention"}},
      {"train.consistency_weight", "train.consistency", {"rdrop", "simcut"}},
      {"train.cutoff", "train.consistency", only("simcut")},
      {"train.recompute_every", "train.recompute", only("every")},
      {"train.decay_steps", "train.schedule", {"linear", "cosine"}},
      {"train.validate_sentences", "train.validate_translations", only(true)},
      {"train.bleu_tokenizer", "train.validate_translations", only(true)},
      {"search.temperature", "search.sample", only(true)},
      {"search.top_k", "search.sample", only(true)},
      {"search.top_p", "search.sample", only(true)},
      {"search.max_length_offset", "search.max_length", only(0)},
  };
  for (const char* key : {"validate_every", "validate_sentences", "validate_translations",
                          "bleu_tokenizer", "patience", "early_stopping_metric"})
    uses.push_back({concat("train.", key), "data.valid_source"});
  for (const char* other : {"search.sample", "search.greedy"})
    for (const char* key :
         {"beam_size", "length_penalty", "length_penalty_kind", "early_stopping", "strict_beam"})
      uses.push_back({concat("search.", key), other, only(false)});
  for (const char* stack : {"encoder_attention", "decoder_attention", "cross_attention"})
    add_attention_uses(uses, concat("model.", stack));
  return uses;
}

/// Whether the options of a stack are one object whose kind is that of all heads; otherwise some
/// head may read what the others do not.
bool has_one_kind(const json& options, const std::string& key) {
  const auto pointer = option_pointer(key);
  return options.contains(pointer) &&
         options.at(pointer.parent_pointer()).value("heads", json::array()).empty();
}

const std::vector<Use>& uses_of_options() {
  static const auto& uses = immortal(all_uses());
  return uses;
}

bool is_excluded(const json& options, const Use& use) {
  if (!has_one_kind(options, use.key)) return false;
  const json& other = options.at(option_pointer(use.of));
  if (use.values.empty()) return other == "";
  return std::find(use.values.begin(), use.values.end(), other) == use.values.end();
}

std::string condition(const Use& use) {
  if (use.values.empty()) return concat("without ", use.of);
  std::vector<std::string> values;
  for (const auto& value : use.values)
    values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
  return concat("unless ", use.of, " is ", joined(values, ", ", " or "));
}

}  // namespace

bool is_read(const json& options, const std::string& key) {
  return std::ranges::none_of(uses_of_options(), [&](const Use& use) {
    return use.key == key && is_excluded(options, use);
  });
}

bool has_changed(const json& before, const json& now, const std::string& key) {
  const auto pointer = option_pointer(key);
  return before.at(pointer) != now.at(pointer) && (is_read(before, key) || is_read(now, key));
}

std::vector<std::string> unused_settings(const json& options, const Overrides& overrides) {
  std::vector<std::string> found;
  for (const auto& use : uses_of_options()) {
    const auto pointer = option_pointer(use.key);
    const bool is_set = overrides.settings.contains(pointer);
    if (is_set && is_excluded(options, use) && options.at(pointer) != default_options().at(pointer))
      found.push_back(
          concat(overrides.place_of(use.key), ": ", use.key, " has no effect ", condition(use)));
  }
  return found;
}

}  // namespace dragoman
