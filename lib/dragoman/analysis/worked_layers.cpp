#include "dragoman/analysis/worked_example.h"
#include "dragoman/analysis/worked_support.h"
#include "dragoman/model/parameter_count.h"

namespace dragoman {

namespace {

using worked::scalar;
using worked::vector;

at::Tensor whole(std::int64_t x) { return scalar(static_cast<double>(x)); }

WorkedExample layer_norm_example() {
  const auto x = vector({2, 4, 6, 8});
  const auto centred = x - x.mean();
  const auto sigma = centred.square().mean().sqrt();
  return {.name = "layer-norm",
          .title = "Layer normalisation of one position",
          .document = std::string(worked::guide) + ", Layer Normalization",
          .steps = {{.name = "x", .formula = "", .value = x},
                    {.name = "mean", .formula = "", .value = x.mean(), .printed = scalar(5)},
                    {.name = "sigma",
                     .formula = "sqrt(mean of (x - mean)^2)",
                     .value = sigma,
                     .printed = scalar(2.236)},
                    {.name = "without eps",
                     .formula = "(x - mean) / sigma",
                     .value = centred / sigma,
                     .printed = vector({-1.34, -0.45, 0.45, 1.34}),
                     .digits = 2},
                    {.name = "with eps",
                     .formula = "(x - mean) / sqrt(sigma^2 + 1e-5)",
                     .value = at::layer_norm(x, {4}, {}, {}, 1e-5)}},
          .remark =
              "Without eps a constant x would be divided by zero; this program adds 1e-5 under the "
              "root."};
}

ModelOptions one_attention(std::int64_t d_model, std::int64_t num_heads) {
  ModelOptions options;
  options.d_model = d_model;
  options.num_heads = num_heads;
  return options;
}

WorkedExample heads_example() {
  const auto options = one_attention(8, 2);
  const auto count = parameter_count(options, {11, 11}).attention;
  const auto per_head = 3 * options.d_model * options.key_width();
  return {
      .name = "heads",
      .title = "Parameters of multi-head attention, d_model 8 and 2 heads",
      .document = std::string(worked::self_attention) +
                  ", Computational Details and Overfitting on Small Data",
      .steps = {{.name = "d_k",
                 .formula = "d_model / h",
                 .value = whole(options.key_width()),
                 .printed = scalar(4)},
                {.name = "shape of W_i^Q",
                 .formula = "d_model x d_k, in q = x W",
                 .value = vector({static_cast<double>(options.d_model),
                                  static_cast<double>(options.key_width())})},
                {.name = "one head",
                 .formula = "3 d_model d_k",
                 .value = whole(per_head),
                 .printed = scalar(96)},
                {.name = "output projection",
                 .formula = "d_model^2",
                 .value = whole(count.weights - 2 * per_head)},
                {.name = "total",
                 .formula = "4 d_model^2 for any h",
                 .value = whole(count.weights),
                 .printed = scalar(256)},
                {.name = "total with biases",
                 .formula = "+ 4 d_model",
                 .value = whole(count.total())},
                {.name = "total by the formula 4 d_model^2 h",
                 .formula = "as printed elsewhere",
                 .value = whole(count.weights),
                 .printed = scalar(512)},
                {.name = "d_k of the base model",
                 .formula = "512 / 8",
                 .value = whole(one_attention(512, 8).key_width())}},
      .remark =
          "\"4 d_model^2 per head, times h\" contradicts the same document's 256. \"Typically d_k "
          "= "
          "d_model\" holds for a single head only. Heads are slices of the projection, not of x."};
}

WorkedExample parameters_example() {
  ModelOptions base;  // the defaults are the paper's base model
  base.attention_bias = false;
  const auto count = [](ModelOptions options, ShareEmbeddings sharing) {
    options.share_embeddings = sharing;
    return parameter_count(options, {37000, 37000});
  };
  const auto two = count(base, ShareEmbeddings::target_output);
  const auto weights_of_two = two.total.weights;
  return {
      .name = "parameters",
      .title =
          "Parameters of the base model, vocabulary 37,000, without biases, as the tutorial prints "
          "them",
      .document = std::string(worked::guide) + ", Complete Parameter Count",
      .steps = {{.name = "attention", .formula = "4 d^2", .value = whole(two.attention.weights)},
                {.name = "sub-layers of an encoder layer",
                 .formula = "self-attention, feed-forward",
                 .value = whole(std::ssize(two.encoder_sublayers))},
                {.name = "sub-layers of a decoder layer",
                 .formula = "masked self-attention, encoder-decoder attention, feed-forward",
                 .value = whole(std::ssize(two.decoder_sublayers))},
                {.name = "feed-forward",
                 .formula = "2 d d_ff",
                 .value = whole(two.feed_forward.weights)},
                {.name = "decoder norms",
                 .formula = "6 d",
                 .value = whole(3 * two.norm.total()),
                 .printed = scalar(2000),
                 .digits = -3},
                {.name = "encoder layer",
                 .formula = "",
                 .value = whole(two.encoder_layer.weights),
                 .printed = scalar(3.15e6),
                 .digits = -4},
                {.name = "encoder",
                 .formula = "6 layers",
                 .value = whole(two.encoder.weights),
                 .printed = scalar(18.9e6),
                 .digits = -5},
                {.name = "decoder layer",
                 .formula = "",
                 .value = whole(two.decoder_layer.weights),
                 .printed = scalar(4.2e6),
                 .digits = -5},
                {.name = "decoder",
                 .formula = "6 layers",
                 .value = whole(two.decoder.weights),
                 .printed = scalar(25.2e6),
                 .digits = -5},
                {.name = "total, two vocabulary matrices",
                 .formula = "sum of the printed terms",
                 .value = whole(weights_of_two),
                 .printed = scalar(100e6),
                 .digits = -6},
                {.name = "total, one shared matrix",
                 .formula = "as in the paper",
                 .value = whole(count(base, ShareEmbeddings::all).total.weights)},
                {.name = "total, three matrices",
                 .formula = "source, target, output",
                 .value = whole(count(base, ShareEmbeddings::none).total.weights)}},
      .remark =
          "The listed terms add up to 82.0 million, not to about 100; that needs three separate "
          "vocabulary matrices. The decoder has three norms per layer, 3,072 parameters."};
}

WorkedExample cost_example() {
  constexpr double n = 1000, d = 1000;
  return {
      .name = "cost",
      .title = "Multiply-adds, memory and paths of self-attention",
      .document = std::string(worked::guide) + ", Computational Complexity, " +
                  worked::self_attention + ", Computational Cost, and " + worked::understanding +
                  ", Why It Matters",
      .steps =
          {{.name = "core", .formula = "2 n^2 d, n = d = 1000", .value = scalar(2 * n * n * d)},
           {.name = "projections", .formula = "4 n d^2", .value = scalar(4 * n * d * d)},
           {.name = "feed-forward", .formula = "2 n d (4 d)", .value = scalar(8 * n * d * d)},
           {.name = "recurrent layer", .formula = "2 n d^2", .value = scalar(2 * n * d * d)},
           {.name = "weights at n = 100,000",
            .formula = "n^2 * 4 bytes, in GB",
            .value = scalar(1e5 * 1e5 * 4 / 1e9),
            .printed = scalar(40)},
           {.name = "checkpointing",
            .formula = "(3 + 1) / 3: one more forward pass",
            .value = scalar(4.0 / 3.0),
            .printed = scalar(1.5),
            .digits = 1},
           {.name = "longest path, attention",
            .formula = "layers between any two positions",
            .value = scalar(1)},
           {.name = "longest path, recurrent", .formula = "n - 1, n = 100", .value = scalar(99)}},
      .remark =
          "\"n^2 d < n d^2 for n < d\" is true of the core alone: with its projections attention "
          "always costs more arithmetic than the simple recurrent layer, and wins by parallel "
          "steps."};
}

}  // namespace

std::vector<WorkedExample> layer_examples() {
  return {layer_norm_example(), heads_example(), parameters_example(), cost_example()};
}

}  // namespace dragoman
