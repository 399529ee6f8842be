#include "dragoman/config/option_rows.h"

namespace dragoman::options {

namespace {

constexpr OptionRange place_rate = {.low = 0, .high = 1, .below = true, .or_else = -1.0};
constexpr const char* place_remedy = "choose a share such as 0.1, or -1 for that of model.dropout";

Rows size_rows() {
  return {
      {"model.d_model", "features", OptionRange{1, 65536},
       "Width of the model: features of each position."},
      {"model.d_ff", "features", OptionRange{1, 1048576},
       "Inner width of the feed-forward network."},
      {"model.num_heads", "heads", OptionRange{1, 1024},
       "Attention heads of each layer; must divide model.d_model unless d_k and d_v are set."},
      {"model.d_k", "features", OptionRange{0, 65536},
       "Features of a head's query and key; 0 = d_model divided by the heads."},
      {"model.d_v", "features", OptionRange{0, 65536},
       "Features of a head's value; 0 = d_model divided by the heads."},
      {"model.decoder_d_ff", "features", OptionRange{0, 1048576},
       "Inner width of the decoder's feed-forward network; 0 = model.d_ff."},
      {"model.decoder_num_heads", "heads", OptionRange{0, 1024},
       "Attention heads of each layer of the decoder; 0 = model.num_heads."},
      {"model.encoder_layers", "layers", OptionRange{1, 512}, "Layers of the encoder (N)."},
      {"model.decoder_layers", "layers", OptionRange{1, 512}, "Layers of the decoder (N)."},
  };
}

Rows dropout_rows() {
  return {
      {"model.dropout", "share", rate, "Dropout wherever no other share is set.",
       "choose a share such as 0.1"},
      {"model.embedding_dropout", "share", place_rate,
       "Dropout on the sum of embeddings and positions; -1 = model.dropout.", place_remedy},
      {"model.residual_dropout", "share", place_rate,
       "Dropout on the output of each sub-layer; -1 = model.dropout.", place_remedy},
      {"model.activation_dropout", "share", place_rate,
       "Dropout inside the feed-forward network; -1 = model.dropout.", place_remedy},
      {"model.attention_dropout", "share", place_rate,
       "Dropout on the attention weights; -1 = model.dropout. None for the kind linear, which has "
       "no weights.",
       place_remedy},
  };
}

Rows structure_rows() {
  return {
      {"model.norm",
       "",
       {},
       "Where layer normalisation is applied: post, after each residual sum, as in the paper; pre, "
       "before each sub-layer."},
      {"model.norm_keys",
       "",
       {},
       "With model.norm pre: compute keys and values of self-attention from normalised inputs, as "
       "queries are; false computes them from the inputs themselves, "
       "as Marian did before 1.10.24."},
      {"model.norm_later_keys",
       "",
       {},
       "With model.norm pre and model.norm_keys: false computes keys and values of the decoder's "
       "self-attention from the inputs themselves as soon as there is more than one position, as "
       "Marian's translator does, unlike its training and scoring."},
      {"model.layer_norm_eps", "variance", OptionRange{.low = 0, .high = 0.1, .above = true},
       "Added to the variance in layer normalisation.", "choose a small number such as 1e-5"},
      {"model.activation", "", {}, "Activation function of the feed-forward network."},
      {"model.position", "", {}, "How positions are encoded."},
      {"model.sinusoids",
       "",
       {},
       "Order of the sinusoids: sines and cosines interleaved, as in the paper; sines and then "
       "cosines, halves; or these with rates from 1 to 1/10000, halves_inclusive."},
      {"model.position_offset", "positions", OptionRange{0, 1048575},
       "Position of the first token of a sentence."},
      {"model.max_positions", "positions", OptionRange{1, 1048576},
       "Rows of the table of learned positions; only for model.position learned."},
      {"model.embed_scale",
       "",
       {},
       "Multiply embeddings by the square root of d_model, or by embed_scale_value."},
      {"model.embed_scale_value", "factor", OptionRange{0, 1e6},
       "What embeddings are multiplied by; 0 = the square root of d_model."},
      {"model.embedding_norm",
       "",
       {},
       "Apply a layer norm to the sum of embedding and position, a separate one on each side."},
      {"model.start_vector",
       "",
       {},
       "What the decoder reads before the first token: the embedding of the start token, zeros, or "
       "a vector of its own, learned."},
      {"model.share_embeddings",
       "",
       {},
       "Which matrices are shared: none; the target embedding with the output layer; all, both "
       "embeddings with the output layer; or both embeddings, source_target. The last two need "
       "tokenizer.joint."},
      {"model.attention_bias", "", {}, "Add biases to the four linear maps of attention."},
      {"model.output_bias", "", {}, "Add a bias to the output layer over the vocabulary."},
      {"model.residual",
       "",
       {},
       "Add each sub-layer's input to its output; false leaves it out, as an ablation."},
  };
}

Rows layer_rows() {
  return {
      {"model.scale", "", {}, "How attention scores are scaled before the softmax."},
      {"model.scale_value", "factor", OptionRange{.low = 0, .high = 1e6, .above = true},
       "Factor of the attention scores; only for model.scale value.",
       "choose a factor such as 0.125"},
      {"model.encoder_layer",
       "",
       {},
       "How positions of an encoder layer exchange information: self-attention, a bidirectional "
       "LSTM, a convolution, or a convolution followed by self-attention."},
      {"model.decoder_layer",
       "",
       {},
       "How a position of a decoder layer reads those before it: masked self-attention; or with a "
       "state of constant size, which makes translating faster: an LSTM, a simpler simple "
       "recurrent "
       "unit (ssru), or the mean of the positions so far (average_attention)."},
      {"model.ssru_output",
       "",
       {},
       "A linear map after the recurrence; only for model.decoder_layer ssru."},
      {"model.average_d_ff", "features", OptionRange{0, 1048576},
       "Features inside the network of model.decoder_layer average_attention; 0 = d_model."},
      {"model.average_depth", "matrices", OptionRange{1, 16},
       "Matrices of that network, each but the last followed by model.average_activation; the last "
       "is left out if there are as many features inside as d_model. 1 = no network."},
      {"model.average_activation", "", {}, "Activation function of that network."},
      {"model.average_gate",
       "",
       {},
       "Weigh the input and the network's output by gates; only for average_attention."},
      {"model.conv_width", "positions", OptionRange{1, 255},
       "Kernel size of the convolutions; an odd number."},
      {"model.pooling",
       "",
       {},
       "Which vector a classifier decides by: the mean of all positions, or the first."},
  };
}

}  // namespace

Rows model_rows() {
  Rows rows;
  for (auto& part : {size_rows(), dropout_rows(), structure_rows(), layer_rows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace dragoman::options
