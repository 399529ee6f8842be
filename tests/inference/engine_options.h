#pragma once

#include "inference/small_engine.h"

#include <string>
#include <utility>
#include <vector>

namespace test {

/// Every option that changes the function of a model that the engine represents.
inline std::vector<std::pair<std::string, dragoman::ModelOptions>> engine_options() {
  using namespace dragoman;
  std::vector<std::pair<std::string, ModelOptions>> all;
  const auto add = [&](const char* name, auto change) {
    auto options = small_options();
    change(options);
    all.emplace_back(name, options);
  };
  add("defaults", [](auto&) {});
  add("pre-norm", [](auto& o) { o.norm = NormPosition::pre; });
  add("keys that are not normalised", [](auto& o) {
    o.norm = NormPosition::pre;
    o.norm_keys = false;
  });
  add("ssru", [](auto& o) { o.decoder_layer = DecoderLayerKind::ssru; });
  add("pre-norm ssru with an output map", [](auto& o) {
    o.norm = NormPosition::pre;
    o.decoder_layer = DecoderLayerKind::ssru;
    o.ssru_output = true;
  });
  add("average attention", [](auto& o) { o.decoder_layer = DecoderLayerKind::average_attention; });
  add("pre-norm average attention of three matrices", [](auto& o) {
    o.norm = NormPosition::pre;
    o.decoder_layer = DecoderLayerKind::average_attention;
    o.average_d_ff = 20;
    o.average_depth = 3;
    o.average_activation = Activation::swish;
  });
  add("average attention without gates and network", [](auto& o) {
    o.decoder_layer = DecoderLayerKind::average_attention;
    o.average_depth = 1;
    o.average_gate = false;
  });
  add("gelu", [](auto& o) { o.activation = Activation::gelu; });
  add("gelu_tanh", [](auto& o) { o.activation = Activation::gelu_tanh; });
  add("gelu_sigmoid", [](auto& o) { o.activation = Activation::gelu_sigmoid; });
  add("swish", [](auto& o) { o.activation = Activation::swish; });
  add("sinusoids in halves", [](auto& o) { o.sinusoids = Sinusoids::halves; });
  add("inclusive sinusoids from an offset", [](auto& o) {
    o.sinusoids = Sinusoids::halves_inclusive;
    o.position_offset = 2;
  });
  add("learned positions from an offset", [](auto& o) {
    o.position = Position::learned;
    o.position_offset = 3;
  });
  add("embed_scale_value", [](auto& o) { o.embed_scale_value = 1.7; });
  add("embedding norm", [](auto& o) { o.embedding_norm = true; });
  add("zero start", [](auto& o) { o.start_vector = StartVector::zero; });
  add("learned start and embedding norm", [](auto& o) {
    o.start_vector = StartVector::learned;
    o.embedding_norm = true;
  });
  add("source and target shared",
      [](auto& o) { o.share_embeddings = ShareEmbeddings::source_target; });
  add("decoder_d_ff", [](auto& o) { o.decoder_d_ff = 28; });
  add("decoder_num_heads", [](auto& o) { o.decoder_num_heads = 2 * o.num_heads; });
  add("30 layers", [](auto& o) {
    o.norm = NormPosition::pre;
    o.encoder_layers = 30;
  });
  add("learned positions", [](auto& o) { o.position = Position::learned; });
  add("no positions", [](auto& o) { o.position = Position::none; });
  add("no embed_scale", [](auto& o) { o.embed_scale = false; });
  add("shared target", [](auto& o) { o.share_embeddings = ShareEmbeddings::target_output; });
  add("nothing shared", [](auto& o) { o.share_embeddings = ShareEmbeddings::none; });
  add("no attention bias", [](auto& o) { o.attention_bias = false; });
  add("output bias", [](auto& o) { o.output_bias = true; });
  add("no residual", [](auto& o) { o.residual = false; });
  add("scale", [](auto& o) {
    o.scale = AttentionScale::value;
    o.scale_value = 0.7;
  });
  add("no scale", [](auto& o) { o.scale = AttentionScale::none; });
  add("eps", [](auto& o) { o.layer_norm_eps = 0.1; });
  add("widths", [](auto& o) {
    o.d_k = 5;
    o.d_v = 17;
  });
  add("tiled", [](auto& o) {
    o.encoder_attention.layers.front().common.kind = AttentionKind::tiled;
    o.decoder_attention.layers.front().common.kind = AttentionKind::fused_torch;
  });
  add("pruned heads", [](auto& o) {
    o.encoder_attention.layers.front().pruned_heads = {0, 2};
    o.decoder_attention.layers.front().pruned_heads = {1};
    o.cross_attention.layers.front().pruned_heads = {3};
  });
  add("no heads", [](auto& o) {
    o.encoder_attention.layers.front().pruned_heads = {0, 1, 2, 3};
    o.decoder_attention.layers = {LayerAttention{}, LayerAttention{}, LayerAttention{}};
    o.decoder_attention.layers[1].pruned_heads = {0, 1, 2, 3};
    o.cross_attention.layers = o.decoder_attention.layers;
  });
  return all;
}

}  // namespace test
