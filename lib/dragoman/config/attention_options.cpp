#include "dragoman/config/attention_options.h"

#include "dragoman/config/option_table.h"
#include "dragoman/config/option_text.h"
#include "dragoman/config/require.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/quantity.h"

#include <algorithm>
#include <functional>

namespace dragoman {

namespace {

using nlohmann::json;
using options::require;
using options::require_between;

constexpr const char* heads_key = "heads";
constexpr const char* pruned_key = "pruned_heads";

void validate_numbers(const HeadAttention& head, const std::string& key) {
  require_ranges(json(head), "model.encoder_attention", key);  // the ranges of all three are equal
  if (head.kind == AttentionKind::sparse_fixed)
    require_between<std::int64_t>(key + ".summary", head.summary, 1, head.stride);
}

/// What cannot be computed one token at a time is refused for the decoder.
void validate_decoding(const HeadAttention& head, const std::string& key) {
  require(head.kind != AttentionKind::low_rank, key + ".kind", "low_rank",
          "mixes later tokens into each key, so a decoder would see what it has to predict",
          "choose it for the encoder only");
  const bool global =
      head.kind == AttentionKind::global_local || head.kind == AttentionKind::longformer;
  for (const auto position : head.global_positions)
    require(!global || position >= 0, key + ".global_positions", position,
            "counts from an end that decoding does not know", "choose positions from 0");
  require(!global || head.global_tokens.empty(), key + ".global_tokens", "a list of pieces",
          "is for the encoder", "choose global_positions");
}

void validate_head(const HeadAttention& head, StackSide side, const std::string& key) {
  validate_numbers(head, key);
  if (side == StackSide::decoder) validate_decoding(head, key);
  require(side != StackSide::cross || is_exact(head.kind), key + ".kind", option_text(head.kind),
          "refers to positions of one sequence, but cross-attention reads another one",
          "choose full, tiled or fused_torch");
}

void validate_pruned(const LayerAttention& layer, const std::string& key, std::int64_t num_heads) {
  for (const auto head : layer.pruned_heads)
    require_between<std::int64_t>(key, head, 0, num_heads - 1);
  const auto fault = std::adjacent_find(layer.pruned_heads.begin(), layer.pruned_heads.end(),
                                        std::greater_equal<>());
  require(fault == layer.pruned_heads.end(), key, fault == layer.pruned_heads.end() ? 0 : *fault,
          "is not below the number after it", "give each head once, in ascending order");
}

void validate_layer(const LayerAttention& layer, StackSide side, const std::string& key,
                    std::int64_t num_heads) {
  validate_head(layer.common, side, key);
  const auto heads = static_cast<std::int64_t>(layer.heads.size());
  require(
      heads == 0 || heads == num_heads, concat(key, '.', heads_key), heads,
      concat(heads == 1 ? "entry" : "entries", ", but each layer has ", counted(num_heads, "head")),
      "give one for each head, or none");
  validate_pruned(layer, concat(key, '.', pruned_key), num_heads);
  for (std::size_t i = 0; i < layer.heads.size(); ++i) {
    const auto place = concat(key, '.', heads_key, '[', i, ']');
    validate_head(layer.heads[i], side, place);
    require(layer.heads[i].kind != AttentionKind::low_rank, place + ".kind", "low_rank",
            "shares its projection among all heads of a layer", "choose it for the whole layer");
  }
}

}  // namespace

bool is_exact(AttentionKind kind) {
  return kind == AttentionKind::full || kind == AttentionKind::tiled ||
         kind == AttentionKind::fused_torch;
}

std::vector<std::int64_t> LayerAttention::kept_heads(std::int64_t num_heads) const {
  std::vector<std::int64_t> kept;
  for (std::int64_t head = 0; head < num_heads; ++head)
    if (!std::binary_search(pruned_heads.begin(), pruned_heads.end(), head)) kept.push_back(head);
  return kept;
}

std::vector<HeadAttention> LayerAttention::of_heads(std::int64_t num_heads) const {
  std::vector<HeadAttention> options;
  for (const auto head : kept_heads(num_heads))
    options.push_back(heads.empty() ? common : heads.at(static_cast<std::size_t>(head)));
  return options;
}

bool LayerAttention::has(AttentionKind kind) const {
  if (heads.empty()) return common.kind == kind;
  return std::any_of(heads.begin(), heads.end(),
                     [kind](const HeadAttention& head) { return head.kind == kind; });
}

void to_json(json& out, const LayerAttention& layer) {
  out = layer.common;
  auto heads = json::array();
  for (const auto& head : layer.heads) {
    auto& different = heads.emplace_back(json::object());
    const json all(head);
    for (const auto& [key, value] : all.items())
      if (value != out.at(key)) different[key] = value;
  }
  out[heads_key] = std::move(heads);
  out[pruned_key] = layer.pruned_heads;
}

void from_json(const json& in, LayerAttention& layer) {
  layer.common = in.get<HeadAttention>();
  layer.pruned_heads = in.value(pruned_key, std::vector<std::int64_t>());
  layer.heads.clear();
  for (const auto& item : in.value(heads_key, json::array())) {
    json head = in;
    head.merge_patch(item);
    layer.heads.push_back(head.get<HeadAttention>());
  }
}

const LayerAttention& StackAttention::of_layer(std::int64_t layer) const {
  return layers.size() == 1 ? layers.front() : layers.at(static_cast<std::size_t>(layer));
}

std::int64_t StackAttention::pruned_heads(std::int64_t num_layers) const {
  std::int64_t pruned = 0;
  for (std::int64_t layer = 0; layer < num_layers; ++layer)
    pruned += std::ssize(of_layer(layer).pruned_heads);
  return pruned;
}

bool StackAttention::has(AttentionKind kind) const {
  return std::any_of(layers.begin(), layers.end(),
                     [kind](const LayerAttention& layer) { return layer.has(kind); });
}

bool StackAttention::needs_tokens() const {
  const auto needs = [](const HeadAttention& head) { return !head.global_tokens.empty(); };
  return std::any_of(layers.begin(), layers.end(), [&needs](const LayerAttention& layer) {
    return layer.heads.empty() ? needs(layer.common)
                               : std::any_of(layer.heads.begin(), layer.heads.end(), needs);
  });
}

bool is_exact(const StackAttention& stack) {
  const auto exact = [](const HeadAttention& head) { return is_exact(head.kind); };
  return std::all_of(stack.layers.begin(), stack.layers.end(), [&](const LayerAttention& layer) {
    return layer.heads.empty() ? exact(layer.common)
                               : std::all_of(layer.heads.begin(), layer.heads.end(), exact);
  });
}

bool same_function(const StackAttention& a, const StackAttention& b, std::int64_t num_layers,
                   std::int64_t num_heads) {
  for (std::int64_t layer = 0; layer < num_layers; ++layer) {
    if (a.of_layer(layer).pruned_heads != b.of_layer(layer).pruned_heads) return false;
    const auto heads = a.of_layer(layer).of_heads(num_heads);
    const auto others = b.of_layer(layer).of_heads(num_heads);
    for (std::size_t i = 0; i < heads.size(); ++i)
      if (!(heads[i] == others[i]) && !(is_exact(heads[i].kind) && is_exact(others[i].kind)))
        return false;
  }
  return true;
}

void to_json(json& out, const StackAttention& stack) {
  if (stack.layers.size() == 1)
    out = stack.layers.front();
  else
    out = stack.layers;
}

void from_json(const json& in, StackAttention& stack) {
  stack.layers = in.is_array() ? in.get<std::vector<LayerAttention>>()
                               : std::vector<LayerAttention>{in.get<LayerAttention>()};
}

void validate_attention(const StackAttention& stack, StackSide side, const std::string& key,
                        std::int64_t num_layers, std::int64_t num_heads) {
  const auto given = static_cast<std::int64_t>(stack.layers.size());
  require(given == 1 || given == num_layers, key, given,
          concat(given == 1 ? "entry" : "entries", ", but the number of layers is ", num_layers),
          "give one for each layer, or an object for all");
  for (std::size_t i = 0; i < stack.layers.size(); ++i)
    validate_layer(stack.layers[i], side, given == 1 ? key : concat(key, '[', i, ']'), num_heads);
}

}  // namespace dragoman
