#pragma once

#include "dragoman/config/model_options.h"
#include "dragoman/model/transformer.h"
#include "dragoman/text/special_ids.h"

#include "support/golden.h"

#include <torch/nn.h>

#include <algorithm>
#include <string>
#include <utility>

namespace test {

/// The name in this library of a weight of golden/transformer.json.
inline std::string place_of(std::string name) {
  const auto replace = [&name](const std::string& from, const std::string& to) {
    const auto at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  };
  const bool decoder = name.rfind("decoder", 0) == 0;
  for (const auto& [from, to] : {std::pair{"q_proj", "query"},
                                 {"k_proj", "key"},
                                 {"v_proj", "value"},
                                 {"o_proj", "output"},
                                 {"self_attn", "self_attention"},
                                 {"cross_attn", "memory_attention"},
                                 {"ffn.", "feed_forward."},
                                 {"fc1", "inner"},
                                 {"fc2", "outer"},
                                 {"norm1", "self_attention_norm"},
                                 {"norm3", "feed_forward_norm"},
                                 {"src_embed", "source_embedding"},
                                 {"tgt_embed", "target_embedding"},
                                 {"pos_embed", "positions"}})
    replace(from, to);
  replace("norm2", decoder ? "memory_attention_norm" : "feed_forward_norm");
  if (name == "embed.weight") return "embedding.weight";
  return name;
}

/// Loads the weights of a case into `module`. The weights of both must correspond one to one.
/// \param prefix prefix missing from the case's names, such as "decoder."
inline void load_golden(torch::nn::Module& module, const GoldenCase& golden,
                        const std::string& prefix = "") {
  const torch::NoGradGuard no_gradient;
  module.to(golden.device());
  const auto parameters = module.named_parameters();
  const auto& weights = golden.json().at("weights");
  REQUIRE(parameters.size() == weights.size());
  for (const auto& [name, stored] : weights.items()) {
    const auto place = place_of(prefix + name).substr(prefix.size());
    CAPTURE(name, place);
    REQUIRE(parameters.contains(place));
    const auto value = golden.at("weights", name);
    REQUIRE(parameters[place].sizes() == value.sizes());
    torch::Tensor(parameters[place]).set_data(value);
  }
}

/// Compares the gradients of `module`'s weights with those of the case.
inline void check_gradients(torch::nn::Module& module, const GoldenCase& golden,
                            const Tolerance& tolerance, const std::string& prefix = "") {
  const auto parameters = module.named_parameters();
  for (const auto& [name, stored] : golden.json().at("weights").items()) {
    CAPTURE(name);
    CHECK_THAT(parameters[place_of(prefix + name).substr(prefix.size())].grad(),
               close_to(golden.at("grads", name), tolerance));
  }
}

/// What a golden case states of its model, or shows by the shapes of its weights; no dropout.
inline dragoman::ModelOptions golden_options(const GoldenCase& golden) {
  const auto stated = golden.json().value("params", nlohmann::json());
  const auto params = stated.is_object() ? stated : nlohmann::json::object();
  const auto weights = golden.json().value("weights", nlohmann::json::object());
  // The size of the first weight with this ending along `axis`; 0 if there is none.
  const auto size = [&](const std::string& ending, std::size_t axis) -> std::int64_t {
    for (const auto& [name, weight] : weights.items())
      if (name.ends_with(ending)) return weight.at("shape").at(axis);
    return 0;
  };
  dragoman::ModelOptions options;
  options.dropout = 0.0;
  options.d_model =
      params.value("d_model", std::max(size("q_proj.weight", 1), size("fc1.weight", 1)));
  options.d_ff = params.value("d_ff", std::max<std::int64_t>(size("fc1.weight", 0), 1));
  options.num_heads = params.value("heads", std::int64_t{1});
  options.d_k = size("q_proj.weight", 0) / options.num_heads;
  options.d_v = size("v_proj.weight", 0) / options.num_heads;
  options.encoder_layers = params.value("enc_layers", std::int64_t{1});
  options.decoder_layers = params.value("dec_layers", std::int64_t{1});
  options.layer_norm_eps = params.value("eps", options.layer_norm_eps);
  options.activation = params.value("activation", options.activation);
  options.position = params.value("position", options.position);
  options.max_positions = params.value("max_len", options.max_positions);
  if (params.value("norm_first", false)) options.norm = dragoman::NormPosition::pre;
  if (!params.value("tied", true)) options.share_embeddings = dragoman::ShareEmbeddings::none;
  options.output_bias = weights.contains("generator.bias");
  return options;
}

/// The special ids that a case states among its parameters ("pad") or in its definition ("PAD=0");
/// those that it does not state are the usual ones of golden/README.md.
inline dragoman::SpecialIds golden_special(const GoldenCase& golden) {
  const auto params = golden.json().value("params", nlohmann::json::object());
  const auto definition = golden.json().value("definition", "");
  const auto stated = [&](const std::string& parameter, const std::string& word,
                          std::int64_t usual) -> std::int64_t {
    if (params.contains(parameter)) return params.at(parameter);
    if (definition.find(word) == std::string::npos) return usual;
    return static_cast<std::int64_t>(stated_number(golden.json(), word));
  };
  return {.pad = stated("pad", "PAD=", 0),
          .unk = stated("unk", "UNK=", 1),
          .bos = stated("bos", "BOS=", 2),
          .eos = stated("eos", "EOS=", 3)};
}

/// The id of padding.
inline std::int64_t golden_pad(const GoldenCase& golden) { return golden_special(golden).pad; }

/// The layer in a golden name such as "decoder.layers.1.cross_attn".
inline std::size_t layer_of(const std::string& name) {
  return std::stoul(name.substr(name.find(".layers.") + std::string(".layers.").size()));
}

/// The vocabularies of a whole golden model.
inline dragoman::VocabularySizes golden_vocabulary(const GoldenCase& golden) {
  const auto& params = golden.json().at("params");
  const auto target = params.at("vocab").get<std::int64_t>();
  return {params.value("src_vocab", target), target};
}

/// The model of a whole golden case, with its weights.
inline dragoman::Transformer golden_transformer(const GoldenCase& golden) {
  dragoman::Transformer model(golden_options(golden), golden_vocabulary(golden));
  model->to(golden.type());
  load_golden(*model, golden);
  return model;
}

/// A small model for tests of properties; no dropout.
inline dragoman::ModelOptions golden_options() {
  dragoman::ModelOptions options;
  options.d_model = 8;
  options.d_ff = 12;
  options.num_heads = 2;
  options.encoder_layers = options.decoder_layers = 2;
  options.dropout = 0.0;
  return options;
}

}  // namespace test
