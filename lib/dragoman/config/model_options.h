#pragma once

#include "dragoman/config/attention_options.h"
#include "dragoman/core/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>

namespace dragoman {

/// Where layer norm is applied (section 5.4 of the paper prints LayerNorm(x + Sublayer(x))).
enum class NormPosition { post, pre };
NLOHMANN_JSON_SERIALIZE_ENUM(NormPosition,
                             {{NormPosition::post, "post"}, {NormPosition::pre, "pre"}})

/// How positions are encoded (section 3.5).
enum class Position { sinusoidal, learned, none };
NLOHMANN_JSON_SERIALIZE_ENUM(Position, {{Position::sinusoidal, "sinusoidal"},
                                        {Position::learned, "learned"},
                                        {Position::none, "none"}})

/// The function inside the feed-forward network (section 3.3: relu).
enum class Activation { relu, gelu, gelu_tanh };
NLOHMANN_JSON_SERIALIZE_ENUM(Activation, {{Activation::relu, "relu"},
                                          {Activation::gelu, "gelu"},
                                          {Activation::gelu_tanh, "gelu_tanh"}})

/// Which vocabulary matrices are shared (section 3.4: all).
enum class ShareEmbeddings { none, target_output, all };
NLOHMANN_JSON_SERIALIZE_ENUM(ShareEmbeddings, {{ShareEmbeddings::none, "none"},
                                               {ShareEmbeddings::target_output, "target_output"},
                                               {ShareEmbeddings::all, "all"}})

/// What scores are divided by before the softmax (section 3.2.1: sqrt(d_k)).
enum class AttentionScale { sqrt_dk, none, value };
NLOHMANN_JSON_SERIALIZE_ENUM(AttentionScale, {{AttentionScale::sqrt_dk, "sqrt_dk"},
                                              {AttentionScale::none, "none"},
                                              {AttentionScale::value, "value"}})

/// How the positions of an encoder layer exchange information (table 1 of the paper): by
/// self-attention, a recurrence in both directions, a convolution, or a convolution followed by
/// self-attention.
enum class EncoderLayerKind { attention, lstm, conv, conv_attention };
NLOHMANN_JSON_SERIALIZE_ENUM(EncoderLayerKind,
                             {{EncoderLayerKind::attention, "attention"},
                              {EncoderLayerKind::lstm, "lstm"},
                              {EncoderLayerKind::conv, "conv"},
                              {EncoderLayerKind::conv_attention, "conv_attention"}})

/// How a position of a decoder layer reads those before it: masked self-attention or a recurrence.
enum class DecoderLayerKind { attention, lstm };
NLOHMANN_JSON_SERIALIZE_ENUM(DecoderLayerKind, {{DecoderLayerKind::attention, "attention"},
                                                {DecoderLayerKind::lstm, "lstm"}})

/// Which of a text's vectors a classifier decides by: the mean of all, or the first.
enum class Pooling { mean, first };
NLOHMANN_JSON_SERIALIZE_ENUM(Pooling, {{Pooling::mean, "mean"}, {Pooling::first, "first"}})

/// The Transformer (table 3 of the paper; the defaults are its base model).
struct ModelOptions {
  std::int64_t d_model = 512;       ///< features per position
  std::int64_t d_ff = 2048;         ///< features inside the feed-forward network
  std::int64_t num_heads = 8;       ///< h
  std::int64_t d_k = 0;             ///< features of a head's query and key; 0 = d_model / num_heads
  std::int64_t d_v = 0;             ///< features of a head's value; 0 = d_model / num_heads
  std::int64_t encoder_layers = 6;  ///< N of the encoder, 1 to 24
  std::int64_t decoder_layers = 6;  ///< N of the decoder, 1 to 24

  double dropout = 0.1;              ///< P_drop at every place without a rate of its own
  double embedding_dropout = -1.0;   ///< on embeddings + positions; -1 = dropout
  double residual_dropout = -1.0;    ///< on each sub-layer's output; -1 = dropout
  double activation_dropout = -1.0;  ///< inside the feed-forward network; -1 = dropout
  double attention_dropout = -1.0;   ///< on the attention weights; -1 = dropout

  NormPosition norm = NormPosition::post;
  double layer_norm_eps = 1e-5;  ///< added to the variance, under the root
  Activation activation = Activation::relu;
  Position position = Position::sinusoidal;
  std::int64_t max_positions = 1024;  ///< rows of the learned position table; learned only
  bool embed_scale = true;            ///< multiply embeddings by sqrt(d_model) (section 3.4)
  ShareEmbeddings share_embeddings = ShareEmbeddings::all;
  bool attention_bias = true;  ///< biases of the four linear maps of attention
  bool output_bias = false;    ///< bias of the generator
  bool residual = true;        ///< x + Sublayer(x); false leaves x out (an ablation)
  AttentionScale scale = AttentionScale::sqrt_dk;
  double scale_value = 1.0;  ///< scores are multiplied by it; scale = value only
  EncoderLayerKind encoder_layer = EncoderLayerKind::attention;
  DecoderLayerKind decoder_layer = DecoderLayerKind::attention;
  std::int64_t conv_width = 3;       ///< positions under a filter, odd; of convolutions only
  Pooling pooling = Pooling::mean;   ///< of a classifier only
  StackAttention encoder_attention;  ///< self-attention of the encoder
  StackAttention decoder_attention;  ///< self-attention of the decoder; each sees the past only
  StackAttention cross_attention;    ///< from the decoder's layers to the encoder's output

  std::int64_t key_width() const { return d_k > 0 ? d_k : d_model / num_heads; }
  std::int64_t value_width() const { return d_v > 0 ? d_v : d_model / num_heads; }
  double embedding_dropout_rate() const {
    return embedding_dropout < 0 ? dropout : embedding_dropout;
  }
  double residual_dropout_rate() const { return residual_dropout < 0 ? dropout : residual_dropout; }
  double activation_dropout_rate() const {
    return activation_dropout < 0 ? dropout : activation_dropout;
  }
  double attention_dropout_rate() const {
    return attention_dropout < 0 ? dropout : attention_dropout;
  }

  /// Whether the layers of that side have self-attention.
  bool has_self_attention(StackSide side) const;
  /// Whether the layers of the encoder have a convolution.
  bool has_convolution() const;

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    ModelOptions, d_model, d_ff, num_heads, d_k, d_v, encoder_layers, decoder_layers, dropout,
    embedding_dropout, residual_dropout, activation_dropout, attention_dropout, norm,
    layer_norm_eps, activation, position, max_positions, embed_scale, share_embeddings,
    attention_bias, output_bias, residual, scale, scale_value, encoder_layer, decoder_layer,
    conv_width, pooling, encoder_attention, decoder_attention, cross_attention)

}  // namespace dragoman
