#include "dragoman/convert/huggingface_layers.h"

#include "dragoman/convert/foreign_model.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <ATen/ATen.h>

#include <array>
#include <utility>

namespace dragoman {

namespace {

using NamePair = std::pair<const char*, const char*>;  // theirs, ours

constexpr std::array<NamePair, 4> projections = {
    {{"q_proj", "query"}, {"k_proj", "key"}, {"v_proj", "value"}, {"out_proj", "output"}}};

Activation activation_of(const HuggingFaceConfig& config) {
  const std::array<std::pair<std::string_view, Activation>, 8> known = {
      {{"relu", Activation::relu},
       {"gelu", Activation::gelu},
       {"gelu_new", Activation::gelu_tanh},
       {"gelu_fast", Activation::gelu_tanh},
       {"gelu_pytorch_tanh", Activation::gelu_tanh},
       {"quick_gelu", Activation::gelu_sigmoid},
       {"swish", Activation::swish},
       {"silu", Activation::swish}}};
  const auto name = config.text("activation_function");
  for (const auto& [theirs, ours] : known)
    if (theirs == name) return ours;
  config.refuse("activation_function", "this program's models know relu, gelu and swish");
}

/// Reads pairs of a weight and a bias.
class LayerReader {
 public:
  LayerReader(const HuggingFaceWeights& weights, const ModelOptions& options)
      : weights_(weights), options_(options) {}

  NamedTensors read() {
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i)
      layer(concat("model.encoder.layers.", i), concat("encoder.layers.", i), options_.d_ff);
    for (std::int64_t i = 0; i < options_.decoder_layers; ++i) {
      const auto theirs = concat("model.decoder.layers.", i), ours = concat("decoder.layers.", i);
      layer(theirs, ours, options_.decoder_inner_width());
      attention(theirs + ".encoder_attn", ours + ".memory_attention");
    }
    if (options_.norm == NormPosition::pre)
      for (const char* side : {"encoder", "decoder"})
        norm(concat("model.", side, ".layer_norm"), concat(side, ".final_norm"));
    return std::move(tensors_);
  }

 private:
  void layer(const std::string& theirs, const std::string& ours, std::int64_t d_ff) {
    attention(theirs + ".self_attn", ours + ".self_attention");
    linear(theirs + ".fc1", ours + ".feed_forward.inner", d_ff, options_.d_model);
    linear(theirs + ".fc2", ours + ".feed_forward.outer", options_.d_model, d_ff);
    norm(theirs + ".final_layer_norm", ours + ".feed_forward_norm");
  }

  void attention(const std::string& theirs, const std::string& ours) {
    for (const auto& [their_part, our_part] : projections)
      linear(concat(theirs, '.', their_part), concat(ours, '.', our_part), options_.d_model,
             options_.d_model);
    norm(theirs + "_layer_norm", ours + "_norm");
  }

  void linear(const std::string& theirs, const std::string& ours, std::int64_t outputs,
              std::int64_t inputs) {
    tensors_[ours + ".weight"] = weights_.tensor(theirs + ".weight", {outputs, inputs});
    tensors_[ours + ".bias"] = weights_.tensor(theirs + ".bias", {outputs});
  }

  void norm(const std::string& theirs, const std::string& ours) {
    for (const char* part : {".weight", ".bias"})
      tensors_[ours + part] = weights_.tensor(theirs + part, {options_.d_model});
  }

  const HuggingFaceWeights& weights_;
  const ModelOptions& options_;
  NamedTensors tensors_;
};

/// The one matrix that has these names, as far as the file has them; undefined if it has none.
/// \param because why it is one
at::Tensor one_matrix(const HuggingFaceWeights& weights, const std::vector<std::string>& names,
                      const std::vector<std::int64_t>& shape, const char* because) {
  at::Tensor matrix;
  std::string first;
  for (const auto& name : names) {
    if (!weights.has(name)) continue;
    const auto found = weights.tensor(name, shape);
    if (matrix.defined() && !matrix.equal(found))
      throw FormatError(concat(
          weights.place(), ": ", weights.name_in_file(first), " and ", weights.name_in_file(name),
          " hold different numbers, but source and target have one embedding ", because));
    if (!matrix.defined()) matrix = found, first = name;
  }
  return matrix;
}

}  // namespace

ModelOptions huggingface_sizes(const HuggingFaceConfig& config) {
  ModelOptions model;
  model.d_model = config.integer("d_model");
  model.d_ff = config.integer("encoder_ffn_dim");
  model.decoder_d_ff = decoder_size(model.d_ff, config.integer("decoder_ffn_dim"));
  model.num_heads = config.integer("encoder_attention_heads");
  model.decoder_num_heads =
      decoder_size(model.num_heads, config.integer("decoder_attention_heads"));
  model.encoder_layers = config.integer("encoder_layers");
  model.decoder_layers = config.integer("decoder_layers");
  model.activation = activation_of(config);
  model.embed_scale = config.flag("scale_embedding", false);
  model.dropout = config.number("dropout", 0.1);
  model.attention_dropout = config.number("attention_dropout", 0.0);
  model.activation_dropout = config.number("activation_dropout", 0.0);
  return model;
}

NamedTensors huggingface_layers(const HuggingFaceWeights& weights, const ModelOptions& options) {
  return LayerReader(weights, options).read();
}

void add_huggingface_embeddings(const HuggingFaceWeights& weights,
                                const HuggingFaceEmbeddings& embeddings, ModelOptions& options,
                                NamedTensors& tensors) {
  const std::string both = "model.shared.weight", encoder = "model.encoder.embed_tokens.weight",
                    decoder = "model.decoder.embed_tokens.weight", output = "lm_head.weight";
  const bool shared = embeddings.shared;
  const std::vector<std::int64_t> source_shape{embeddings.source_rows, options.d_model},
      target_shape{embeddings.target_rows, options.d_model};
  const auto own_output = weights.has(output) ? weights.tensor(output, target_shape) : at::Tensor();
  if (!own_output.defined() && !embeddings.tied)
    throw FormatError(concat(weights.place(), ": has no ", output,
                             ", but tie_word_embeddings is false in config.json; copy the weights "
                             "again"));
  auto target =
      one_matrix(weights, shared ? std::vector{both, encoder, decoder} : std::vector{decoder},
                 target_shape, embeddings.shared_because);
  if (!target.defined()) target = own_output;
  if (!target.defined())
    throw FormatError(concat(weights.place(), ": has no ", shared ? both : decoder,
                             " and no other name of it; copy the weights again"));
  const bool tied = !own_output.defined() || own_output.equal(target);
  if (!tied) tensors["generator.weight"] = own_output;
  tensors[shared ? "embedding.weight" : "target_embedding.weight"] = target;
  if (!shared) tensors["source_embedding.weight"] = weights.tensor(encoder, source_shape);
  if (shared)
    options.share_embeddings = tied ? ShareEmbeddings::all : ShareEmbeddings::source_target;
  else
    options.share_embeddings = tied ? ShareEmbeddings::target_output : ShareEmbeddings::none;
}

std::int64_t huggingface_longest_text(const HuggingFaceConfig& config, std::int64_t or_else) {
  constexpr const char* key = "max_position_embeddings";
  const auto positions = config.integer(key, or_else);
  if (positions < 2) config.refuse(key, "it should be 2 or more");
  return positions - 1;
}

}  // namespace dragoman
