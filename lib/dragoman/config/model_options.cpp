#include "dragoman/config/model_options.h"

#include "dragoman/config/option_table.h"
#include "dragoman/config/option_text.h"
#include "dragoman/config/require.h"
#include "dragoman/core/concat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace dragoman {

namespace {

using options::require;

void validate_sizes(const ModelOptions& model) {
  const bool own_widths = model.d_k > 0 && model.d_v > 0;
  for (const auto& [key, heads] : {std::pair{"model.num_heads", model.num_heads},
                                   {"model.decoder_num_heads", model.heads_of(StackSide::decoder)}})
    require(own_widths || model.d_model % heads == 0, key, heads,
            concat("does not divide model.d_model ", model.d_model),
            "choose a divisor, or set both model.d_k and model.d_v");
  require(model.position != Position::sinusoidal || model.d_model % 2 == 0, "model.d_model",
          model.d_model, "is odd, but sinusoidal positions come in pairs of sine and cosine",
          "choose an even number or model.position learned");
  const bool inclusive =
      model.position == Position::sinusoidal && model.sinusoids == Sinusoids::halves_inclusive;
  require(!inclusive || model.d_model >= 4, "model.d_model", model.d_model,
          "has one rate, but model.sinusoids halves_inclusive needs a first and a last one",
          "choose 4 or more");
}

/// Options of positions that do not exist would have no effect.
void validate_positions(const ModelOptions& model) {
  require(model.sinusoids == Sinusoids::interleaved || model.position == Position::sinusoidal,
          "model.sinusoids", nlohmann::json(model.sinusoids).dump(),
          "has no effect without model.position sinusoidal", "leave it out");
  require(model.position_offset == 0 || model.position != Position::none, "model.position_offset",
          model.position_offset, "has no effect with model.position none", "leave it out");
  require(model.position != Position::learned || model.position_offset < model.max_positions,
          "model.position_offset", model.position_offset,
          concat("leaves no row of model.max_positions ", model.max_positions),
          "choose a smaller one");
  require(model.embed_scale || model.embed_scale_value == 0.0, "model.embed_scale_value",
          model.embed_scale_value, "has no effect with model.embed_scale false", "leave it out");
}

/// Options of an attention that does not exist would have no effect.
template <typename Kind>
void require_unused(const StackAttention& attention, const char* key, const char* layer_key,
                    Kind layer) {
  const bool is_default = attention.layers.size() == 1 && attention.layers.front().heads.empty() &&
                          attention.layers.front().pruned_heads.empty() &&
                          attention.layers.front().common == HeadAttention{};
  require(is_default, layer_key, nlohmann::json(layer).dump(), concat("leaves no place for ", key),
          concat("leave ", key, " out, or choose a layer with attention"));
}

/// The same of keys that nothing would normalise in any case.
void validate_norm_keys(const ModelOptions& model) {
  require(model.norm_keys || model.norm == NormPosition::pre, "model.norm_keys", "false",
          "has no effect with model.norm post", "leave it out");
  const bool any_later = model.norm == NormPosition::pre && model.norm_keys &&
                         model.has_self_attention(StackSide::decoder);
  require(model.norm_later_keys || any_later, "model.norm_later_keys", "false",
          "has no effect without model.norm pre, model.norm_keys and self-attention of the decoder",
          "leave it out");
}

/// The same of a recurrence.
void validate_recurrence(const ModelOptions& model) {
  const ModelOptions defaults;
  const auto require_kind = [&](DecoderLayerKind kind, const char* key, const auto& value,
                                const auto& or_else) {
    require(model.decoder_layer == kind || value == or_else, key, nlohmann::json(value).dump(),
            concat("has no effect without model.decoder_layer ", option_text(kind)),
            "leave it out");
  };
  require_kind(DecoderLayerKind::ssru, "model.ssru_output", model.ssru_output,
               defaults.ssru_output);
  constexpr auto average = DecoderLayerKind::average_attention;
  require_kind(average, "model.average_d_ff", model.average_d_ff, defaults.average_d_ff);
  require_kind(average, "model.average_depth", model.average_depth, defaults.average_depth);
  require_kind(average, "model.average_activation", model.average_activation,
               defaults.average_activation);
  require_kind(average, "model.average_gate", model.average_gate, defaults.average_gate);
}

void validate_layers(const ModelOptions& model) {
  require(model.conv_width % 2 == 1, "model.conv_width", model.conv_width,
          "is even, so that no position is in the middle", "choose an odd number");
  require(model.encoder_layer != EncoderLayerKind::lstm || model.d_model % 2 == 0, "model.d_model",
          model.d_model, "is odd, but model.encoder_layer lstm gives each direction a half",
          "choose an even number");
  validate_recurrence(model);
  if (!model.has_self_attention(StackSide::encoder))
    require_unused(model.encoder_attention, "model.encoder_attention", "model.encoder_layer",
                   model.encoder_layer);
  if (!model.has_self_attention(StackSide::decoder))
    require_unused(model.decoder_attention, "model.decoder_attention", "model.decoder_layer",
                   model.decoder_layer);
}

}  // namespace

ModelOptions ModelOptions::with_heads_of(StackSide side) const {
  auto options = *this;
  options.num_heads = heads_of(side);
  options.decoder_num_heads = 0;
  return options;
}

bool ModelOptions::has_self_attention(StackSide side) const {
  if (side == StackSide::decoder) return decoder_layer == DecoderLayerKind::attention;
  return encoder_layer == EncoderLayerKind::attention ||
         encoder_layer == EncoderLayerKind::conv_attention;
}

bool ModelOptions::has_convolution() const {
  return encoder_layer == EncoderLayerKind::conv ||
         encoder_layer == EncoderLayerKind::conv_attention;
}

double ModelOptions::attention_scale() const {
  switch (scale) {
    case AttentionScale::sqrt_dk: break;
    case AttentionScale::none: return 1.0;
    case AttentionScale::value: return scale_value;
  }
  return 1.0 / std::sqrt(static_cast<double>(key_width()));
}

std::int64_t ModelOptions::longest_sequence() const {
  return position == Position::learned ? max_positions - position_offset
                                       : std::numeric_limits<std::int64_t>::max();
}

std::int64_t ModelOptions::longest_source() const {
  auto longest = longest_sequence();
  for (const auto& layer : encoder_attention.layers)
    if (layer.has(AttentionKind::low_rank)) longest = std::min(longest, layer.common.max_length);
  return longest;
}

void ModelOptions::validate() const {
  require_ranges(nlohmann::json(*this), "model");
  validate_sizes(*this);
  validate_positions(*this);
  validate_norm_keys(*this);
  validate_layers(*this);
  validate_attention(encoder_attention, StackSide::encoder, "model.encoder_attention",
                     encoder_layers, heads_of(StackSide::encoder));
  validate_attention(decoder_attention, StackSide::decoder, "model.decoder_attention",
                     decoder_layers, heads_of(StackSide::decoder));
  validate_attention(cross_attention, StackSide::cross, "model.cross_attention", decoder_layers,
                     heads_of(StackSide::cross));
}

void expect_position(std::int64_t position, std::int64_t rows) {
  if (position >= rows)
    throw DataError(concat("position ", position, ": this model has only ", rows,
                           " learned positions; give it shorter sentences, or train it with a "
                           "larger model.max_positions"));
}

}  // namespace dragoman
