#pragma once

#include "dragoman/config/attention_options.h"
#include "dragoman/config/enum_names.h"
#include "dragoman/core/error.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstdint>

namespace dragoman {

/// Where layer norm is applied (section 3.1 of the paper: LayerNorm(x + Sublayer(x))).
enum class NormPosition { post, pre };
DRAGOMAN_ENUM_NAMES(NormPosition, {{NormPosition::post, "post"}, {NormPosition::pre, "pre"}})

/// How positions are encoded (section 3.5).
enum class Position { sinusoidal, learned, none };
DRAGOMAN_ENUM_NAMES(Position, {{Position::sinusoidal, "sinusoidal"},
                               {Position::learned, "learned"},
                               {Position::none, "none"}})

/// Order and rates of the sinusoids. Of d_model / 2 rates the k-th is 10000^(-2k / d_model) in the
/// paper and in `halves`; in `halves_inclusive` it is 10000^(-k / (d_model / 2 - 1)), so that the
/// last is 1/10000 itself.
enum class Sinusoids {
  interleaved,      ///< sine and cosine of a rate side by side, as in the paper
  halves,           ///< all sines, then all cosines
  halves_inclusive  ///< the same with the other rates
};
DRAGOMAN_ENUM_NAMES(Sinusoids, {{Sinusoids::interleaved, "interleaved"},
                                {Sinusoids::halves, "halves"},
                                {Sinusoids::halves_inclusive, "halves_inclusive"}})

/// The function inside the feed-forward network (section 3.3: relu).
enum class Activation {
  relu,
  gelu,          ///< x Phi(x)
  gelu_tanh,     ///< its approximation by tanh
  gelu_sigmoid,  ///< its approximation x sigmoid(1.702 x)
  swish          ///< x sigmoid(x), also known as SiLU
};
DRAGOMAN_ENUM_NAMES(Activation, {{Activation::relu, "relu"},
                                 {Activation::gelu, "gelu"},
                                 {Activation::gelu_tanh, "gelu_tanh"},
                                 {Activation::gelu_sigmoid, "gelu_sigmoid"},
                                 {Activation::swish, "swish"}})

/// Which vocabulary matrices are shared (section 3.4: all).
enum class ShareEmbeddings { none, target_output, all, source_target };
DRAGOMAN_ENUM_NAMES(ShareEmbeddings, {{ShareEmbeddings::none, "none"},
                                      {ShareEmbeddings::target_output, "target_output"},
                                      {ShareEmbeddings::all, "all"},
                                      {ShareEmbeddings::source_target, "source_target"}})

/// What the decoder reads before the first target token, in place of the scaled embedding of BOS.
enum class StartVector {
  token,   ///< that embedding, nothing else
  zero,    ///< zeros
  learned  ///< a vector of its own
};
DRAGOMAN_ENUM_NAMES(StartVector, {{StartVector::token, "token"},
                                  {StartVector::zero, "zero"},
                                  {StartVector::learned, "learned"}})

/// How scores are scaled before the softmax (section 3.2.1: divided by sqrt(d_k)).
enum class AttentionScale { sqrt_dk, none, value };
DRAGOMAN_ENUM_NAMES(AttentionScale, {{AttentionScale::sqrt_dk, "sqrt_dk"},
                                     {AttentionScale::none, "none"},
                                     {AttentionScale::value, "value"}})

/// How the positions of an encoder layer exchange information (table 1 of the paper): by
/// self-attention, a recurrence in both directions, a convolution, or a convolution followed by
/// self-attention.
enum class EncoderLayerKind { attention, lstm, conv, conv_attention };
DRAGOMAN_ENUM_NAMES(EncoderLayerKind, {{EncoderLayerKind::attention, "attention"},
                                       {EncoderLayerKind::lstm, "lstm"},
                                       {EncoderLayerKind::conv, "conv"},
                                       {EncoderLayerKind::conv_attention, "conv_attention"}})

/// How a position of a decoder layer reads those before it: by masked self-attention, or by a state
/// whose size does not grow with their number.
enum class DecoderLayerKind {
  attention,
  lstm,
  ssru,              ///< simpler simple recurrent unit
  average_attention  ///< the mean of the inputs so far
};
DRAGOMAN_ENUM_NAMES(DecoderLayerKind, {{DecoderLayerKind::attention, "attention"},
                                       {DecoderLayerKind::lstm, "lstm"},
                                       {DecoderLayerKind::ssru, "ssru"},
                                       {DecoderLayerKind::average_attention, "average_attention"}})

/// Which of a text's vectors a classifier decides by: the mean of all, or the first.
enum class Pooling { mean, first };
DRAGOMAN_ENUM_NAMES(Pooling, {{Pooling::mean, "mean"}, {Pooling::first, "first"}})

/// The Transformer (table 3 of the paper; the defaults are its base model).
struct ModelOptions {
  std::int64_t d_model = 512;          ///< features per position
  std::int64_t d_ff = 2048;            ///< features inside the feed-forward network
  std::int64_t num_heads = 8;          ///< h
  std::int64_t d_k = 0;                ///< features of a head's query and key; 0 = d_model / h
  std::int64_t d_v = 0;                ///< features of a head's value; 0 = d_model / h
  std::int64_t decoder_d_ff = 0;       ///< d_ff of the decoder; 0 = d_ff
  std::int64_t decoder_num_heads = 0;  ///< h of the decoder's attention; 0 = num_heads
  std::int64_t encoder_layers = 6;     ///< N of the encoder, 1 to 512
  std::int64_t decoder_layers = 6;     ///< N of the decoder, 1 to 512

  double dropout = 0.1;              ///< P_drop at every place without a rate of its own
  double embedding_dropout = -1.0;   ///< on embeddings + positions; -1 = dropout
  double residual_dropout = -1.0;    ///< on each sub-layer's output; -1 = dropout
  double activation_dropout = -1.0;  ///< inside the feed-forward network; -1 = dropout
  double attention_dropout = -1.0;   ///< on the attention weights; -1 = dropout

  NormPosition norm = NormPosition::post;
  /// Pre-norm: whether keys and values of self-attention are made of normalised inputs, as queries
  /// are.
  bool norm_keys = true;
  /// The same for the decoder's positions after the first only.
  bool norm_later_keys = true;
  double layer_norm_eps = 1e-5;  ///< added to the variance, under the root
  Activation activation = Activation::relu;
  Position position = Position::sinusoidal;
  Sinusoids sinusoids = Sinusoids::interleaved;  ///< sinusoidal only
  std::int64_t position_offset = 0;              ///< position of the first token
  std::int64_t max_positions = 1024;  ///< rows of the learned position table; learned only
  bool embed_scale = true;            ///< multiply embeddings by sqrt(d_model) (section 3.4)
  double embed_scale_value = 0.0;     ///< by this factor instead; 0 = sqrt(d_model)
  bool embedding_norm = false;        ///< layer norm of embedding + position, one on each side
  StartVector start_vector = StartVector::token;
  ShareEmbeddings share_embeddings = ShareEmbeddings::all;
  bool attention_bias = true;  ///< biases of the four linear maps of attention
  bool output_bias = false;    ///< bias of the generator
  bool residual = true;        ///< x + Sublayer(x); false leaves x out (an ablation)
  AttentionScale scale = AttentionScale::sqrt_dk;
  double scale_value = 1.0;  ///< scores are multiplied by it; scale = value only
  EncoderLayerKind encoder_layer = EncoderLayerKind::attention;
  DecoderLayerKind decoder_layer = DecoderLayerKind::attention;
  bool ssru_output = false;        ///< a linear map after the recurrence; of ssru only
  std::int64_t average_d_ff = 0;   ///< features inside average_attention's network; 0 = d_model
  std::int64_t average_depth = 2;  ///< its matrices; the last is left out if average_d_ff = 0
  Activation average_activation = Activation::relu;  ///< inside that network
  bool average_gate = true;          ///< gates that weigh the input and the mean; average_attention
  std::int64_t conv_width = 3;       ///< positions under a filter, odd; of convolutions only
  Pooling pooling = Pooling::mean;   ///< of a classifier only
  StackAttention encoder_attention;  ///< self-attention of the encoder
  StackAttention decoder_attention;  ///< self-attention of the decoder; each sees the past only
  StackAttention cross_attention;    ///< of the modules `memory_attention`, to the encoder's output

  /// The number of heads of one stack's attention.
  std::int64_t heads_of(StackSide side) const {
    return side == StackSide::encoder || decoder_num_heads == 0 ? num_heads : decoder_num_heads;
  }
  /// The same options with that number as num_heads, for what the width of a head depends on.
  ModelOptions with_heads_of(StackSide side) const;
  std::int64_t key_width() const { return d_k > 0 ? d_k : d_model / num_heads; }
  std::int64_t value_width() const { return d_v > 0 ? d_v : d_model / num_heads; }
  std::int64_t decoder_inner_width() const { return decoder_d_ff > 0 ? decoder_d_ff : d_ff; }
  std::int64_t average_width() const { return average_d_ff > 0 ? average_d_ff : d_model; }
  /// What attention scores are multiplied by.
  double attention_scale() const;
  /// What embeddings are multiplied by.
  double embedding_factor() const {
    if (!embed_scale) return 1.0;
    return embed_scale_value > 0.0 ? embed_scale_value : std::sqrt(static_cast<double>(d_model));
  }
  /// Whether source and target have one embedding.
  bool has_joint_embedding() const {
    return share_embeddings == ShareEmbeddings::all ||
           share_embeddings == ShareEmbeddings::source_target;
  }
  /// Whether the generator has a matrix of its own.
  bool has_own_generator() const {
    return share_embeddings == ShareEmbeddings::none ||
           share_embeddings == ShareEmbeddings::source_target;
  }
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

  /// Tokens of the longest sequence that has a position for each, EOS included; without learned
  /// positions, the largest number.
  std::int64_t longest_sequence() const;
  /// The same for a source, of which low-rank attention reads a limited length too.
  std::int64_t longest_source() const;
  /// Whether the layers of that side have self-attention.
  bool has_self_attention(StackSide side) const;
  /// Whether the layers of the encoder have a convolution.
  bool has_convolution() const;

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

/// \throws DataError if a table of learned positions ends before `position`. \param rows it has
void expect_position(std::int64_t position, std::int64_t rows);

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    ModelOptions, d_model, d_ff, num_heads, d_k, d_v, decoder_d_ff, decoder_num_heads,
    encoder_layers, decoder_layers, dropout, embedding_dropout, residual_dropout,
    activation_dropout, attention_dropout, norm, norm_keys, norm_later_keys, layer_norm_eps,
    activation, position, sinusoids, position_offset, max_positions, embed_scale, embed_scale_value,
    embedding_norm, start_vector, share_embeddings, attention_bias, output_bias, residual, scale,
    scale_value, encoder_layer, decoder_layer, ssru_output, average_d_ff, average_depth,
    average_activation, average_gate, conv_width, pooling, encoder_attention, decoder_attention,
    cross_attention)

}  // namespace dragoman
