#include "dragoman/convert/fairseq_options.h"

#include "dragoman/convert/foreign_model.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <array>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

/// What is said of the model, or of the task.
nlohmann::json part_of(const nlohmann::json& entries, const char* part) {
  const auto cfg = json_entry(entries, "cfg");
  return cfg.is_object() ? json_entry(cfg, part) : json_entry(entries, "args");
}

}  // namespace

FairseqOptions::FairseqOptions(const nlohmann::json& entries, const std::string& place)
    : JsonSettings(part_of(entries, "model"), place), task_(part_of(entries, "task")) {
  if (!part_of(entries, "model").is_object())
    throw FormatError(place +
                      ": has neither args nor cfg.model, which tell how the model is built");
}

void FairseqOptions::expect_off(const char* key) const {
  const auto found = value(key);
  const bool is_off = found.is_null() || found == nlohmann::json(false) ||
                      (found.is_number() && found.get<double>() == 0.0);
  if (!is_off) refuse(key, "this program's models do not support it");
}

/// An option that encoder and decoder have in common here.
void FairseqOptions::expect_equal(const std::string& part) const {
  const auto encoder = "encoder_" + part, decoder = "decoder_" + part;
  if (value(encoder) != value(decoder))
    refuse(decoder, concat(encoder, " is ", printable(value(encoder).dump(), 60),
                           ", and this program's models have one for both"));
}

Activation FairseqOptions::activation() const {
  constexpr std::array<std::pair<std::string_view, Activation>, 5> known = {
      {{"relu", Activation::relu},
       {"gelu", Activation::gelu},
       {"gelu_fast", Activation::gelu_tanh},
       {"gelu_accurate", Activation::gelu_tanh},
       {"swish", Activation::swish}}};
  const auto name = text("activation_fn", "relu");
  for (const auto& [theirs, ours] : known)
    if (theirs == name) return ours;
  refuse("activation_fn", "this program's models know relu, gelu and swish");
}

ModelOptions FairseqOptions::model() const {
  const auto arch = text("arch", text("_name", ""));
  if (arch.find("transformer") == std::string::npos)
    refuse(value("arch").is_null() ? "_name" : "arch", "only Transformers can be read");
  for (const char* key :
       {"adaptive_softmax_cutoff", "no_token_positional_embeddings", "cross_self_attention",
        "no_cross_attention", "no_decoder_final_norm", "adaptive_input", "character_embeddings",
        "quant_noise_pq", "quant_noise_scalar", "num_experts", "moe_freq", "scale_attn",
        "scale_heads", "scale_fc", "scale_resids", "relu_squared"})
    expect_off(key);
  for (const char* part : {"embed_dim", "normalize_before", "learned_pos"}) expect_equal(part);
  ModelOptions model;
  model.d_model = integer("encoder_embed_dim");
  if (!value("decoder_output_dim").is_null() && integer("decoder_output_dim") != model.d_model)
    refuse("decoder_output_dim", "it should be decoder_embed_dim");
  model.d_ff = integer("encoder_ffn_embed_dim");
  model.decoder_d_ff = decoder_size(model.d_ff, integer("decoder_ffn_embed_dim"));
  model.num_heads = integer("encoder_attention_heads");
  model.decoder_num_heads = decoder_size(model.num_heads, integer("decoder_attention_heads"));
  model.encoder_layers = integer("encoder_layers");
  model.decoder_layers = integer("decoder_layers");
  model.norm = flag("encoder_normalize_before", false) ? NormPosition::pre : NormPosition::post;
  model.activation = activation();
  model.embed_scale = !flag("no_scale_embedding", false);
  model.embedding_norm = flag("layernorm_embedding", false);
  // Positions count from the id of padding on, which is 1.
  if (!has_learned_positions()) {
    model.sinusoids = Sinusoids::halves_inclusive;
    model.position_offset = 2;
  }
  return model;
}

Languages FairseqOptions::languages(const Languages& chosen) const {
  const auto one = [&](const std::string& of_user, const char* key) {
    if (!of_user.empty()) return of_user;
    const auto found = json_entry(task_, key);
    if (!found.is_string())
      throw FormatError(concat(place(), ": does not say its ", key,
                               "; name the languages with --source-language and "
                               "--target-language"));
    const auto language = found.get<std::string>();
    if (language.find_first_of(std::string_view("/\0", 2)) != std::string::npos)
      throw FormatError(concat(place(), ": its ", key, " is ", printable(language, 40),
                               ", which is not a valid file name ending"));
    return language;
  };
  return {.source = one(chosen.source, "source_lang"), .target = one(chosen.target, "target_lang")};
}

}  // namespace dragoman
