#include "dragoman/convert/marian_model.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace dragoman {

namespace {

using MarianNames = std::pair<const char*, const char*>;  // theirs, ours

/// The options of a file by name, each refused with its value.
class MarianOptions {
 public:
  explicit MarianOptions(const MarianWeights& weights) : weights_(weights) {}

  std::string text(const char* key, const std::string& or_else) const {
    const auto found = weights_.options().find(key);
    if (found == weights_.options().end()) return or_else;
    return found->second.empty() ? "" : found->second.front();
  }

  std::int64_t integer(const char* key, const std::string& or_else) const {
    const auto value = text(key, or_else);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size())
      refuse(key, "it should be a whole number");
    return number;
  }

  bool flag(const char* key) const {
    const auto value = text(key, "false");
    if (value != "true" && value != "false") refuse(key, "it should be true or false");
    return value == "true";
  }

  void expect(const char* key, const std::string& only) const {
    if (text(key, only) != only)
      refuse(key, only.empty() ? "it should be empty" : "this program knows only " + only);
  }

  [[noreturn]] void refuse(const char* key, const std::string& why) const {
    throw FormatError(concat(weights_.place(), ": special:model.yml: ", key, " is ",
                             printable(text(key, ""), 60), ": ", why));
  }

  /// Whether the model was made by that version or a later one; without a version, it was not.
  bool is_since(std::array<int, 3> wanted) const {
    auto value = text("version", "v0.0.0");
    std::array<int, 3> version{};
    const char* at = value.data() + (value.starts_with('v') ? 1 : 0);
    for (auto& part : version) {
      const auto [end, error] = std::from_chars(at, value.data() + value.size(), part);
      if (error != std::errc()) break;
      at = end == value.data() + value.size() ? end : end + 1;
    }
    return version >= wanted;
  }

 private:
  const MarianWeights& weights_;
};

void expect_plain_transformer(const MarianOptions& options) {
  options.expect("type", "transformer");
  for (const char* key :
       {"layer-normalization", "skip", "right-left", "ulr", "transformer-no-projection",
        "transformer-train-position-embeddings", "transformer-pool"})
    options.expect(key, "false");
  for (const char* key : {"lemma-dependency", "input-types", "transformer-tied-layers"})
    options.expect(key, "");
  for (const char* key : {"lemma-dim-emb", "factors-dim-emb"}) options.expect(key, "0");
  options.expect("transformer-ffn-depth", "2");
  if (options.text("transformer-decoder-ffn-depth", "0") != "0")
    options.expect("transformer-decoder-ffn-depth", "2");
  options.expect("transformer-decoder-autoreg", "self-attention");
}

/// Operations without dropout, which does nothing to a trained model.
std::string operations(const MarianOptions& options, const char* key, const char* or_else) {
  auto text = options.text(key, or_else);
  std::erase(text, 'd');
  return text;
}

NormPosition norm_of(const MarianOptions& options) {
  const auto before = operations(options, "transformer-preprocess", ""),
             after = operations(options, "transformer-postprocess", "dan"),
             top = operations(options, "transformer-postprocess-top", "");
  if (before.empty() && after == "an" && top.empty()) return NormPosition::post;
  if (before == "n" && after == "a" && top == "n") {
    if (!options.is_since({1, 10, 24}))
      options.refuse("version",
                     "before v1.10.24 self-attention read keys that were not "
                     "normalised, with transformer-preprocess n");
    return NormPosition::pre;
  }
  if (before != "" && before != "n") options.refuse("transformer-preprocess", "it should be n");
  if (!top.empty() && top != "n") options.refuse("transformer-postprocess-top", "it should be n");
  options.refuse("transformer-postprocess",
                 "this program's models are dan, or n before, da after and n at the top");
}

Activation marian_activation(const MarianOptions& options) {
  const auto name = options.text("transformer-ffn-activation", "swish");
  if (name == "relu") return Activation::relu;
  if (name == "swish") return Activation::swish;
  if (name == "gelu")
    return options.is_since({1, 12, 3}) ? Activation::gelu : Activation::gelu_sigmoid;
  options.refuse("transformer-ffn-activation", "this program's models know relu, swish and gelu");
}

ShareEmbeddings sharing_of(const MarianOptions& options) {
  const bool source = options.flag("tied-embeddings-src"), output = options.flag("tied-embeddings");
  if (options.flag("tied-embeddings-all") || (source && output)) return ShareEmbeddings::all;
  if (source) return ShareEmbeddings::source_target;
  return output ? ShareEmbeddings::target_output : ShareEmbeddings::none;
}

/// Matrices are stored as [inputs, outputs].
class MarianReader {
 public:
  MarianReader(const MarianWeights& weights, const ModelOptions& options)
      : weights_(weights), options_(options) {}

  NamedTensors read() {
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i)
      layer(concat("encoder_l", i + 1), concat("encoder.layers.", i), options_.d_ff);
    for (std::int64_t i = 0; i < options_.decoder_layers; ++i) {
      const auto theirs = concat("decoder_l", i + 1), ours = concat("decoder.layers.", i);
      layer(theirs, ours, options_.decoder_inner_width());
      attention(theirs + "_context", ours + ".memory_attention");
    }
    const bool pre = options_.norm == NormPosition::pre;
    for (const auto& [side, embedding] :
         {MarianNames{"encoder", "source_embedding_norm"}, {"decoder", "target_embedding_norm"}}) {
      if (pre) norm(concat(side, "_top_ln"), "", concat(side, ".final_norm"));
      if (options_.embedding_norm) norm(concat(side, "_emb_ln"), "_pre", embedding);
    }
    vocabularies();
    return std::move(tensors_);
  }

 private:
  void layer(const std::string& theirs, const std::string& ours, std::int64_t d_ff) {
    attention(theirs + "_self", ours + ".self_attention");
    linear(theirs + "_ffn_W1", theirs + "_ffn_b1", ours + ".feed_forward.inner", options_.d_model,
           d_ff);
    linear(theirs + "_ffn_W2", theirs + "_ffn_b2", ours + ".feed_forward.outer", d_ff,
           options_.d_model);
    norm(theirs + "_ffn_ffn_ln", block_ending(), ours + ".feed_forward_norm");
  }

  void attention(const std::string& theirs, const std::string& ours) {
    for (const auto& [letter, name] :
         {MarianNames{"q", "query"}, {"k", "key"}, {"v", "value"}, {"o", "output"}})
      linear(concat(theirs, "_W", letter), concat(theirs, "_b", letter), concat(ours, '.', name),
             options_.d_model, options_.d_model);
    norm(theirs + "_Wo_ln", block_ending(), ours + "_norm");
  }

  const char* block_ending() const { return options_.norm == NormPosition::pre ? "_pre" : ""; }

  void linear(const std::string& weight, const std::string& bias, const std::string& ours,
              std::int64_t inputs, std::int64_t outputs) {
    tensors_[ours + ".weight"] = weights_.matrix(weight, inputs, outputs).t().contiguous();
    tensors_[ours + ".bias"] = weights_.vector(bias, outputs);
  }

  void norm(const std::string& theirs, const char* ending, const std::string& ours) {
    tensors_[ours + ".weight"] = weights_.vector(theirs + "_scale" + ending, options_.d_model);
    tensors_[ours + ".bias"] = weights_.vector(theirs + "_bias" + ending, options_.d_model);
  }

  void vocabularies() {
    const auto [source, target] = marian_vocabulary_sizes(weights_);
    const auto d_model = options_.d_model;
    if (options_.has_joint_embedding()) {
      tensors_["embedding.weight"] = weights_.matrix("Wemb", target, d_model);
    } else {
      tensors_["source_embedding.weight"] = weights_.matrix("encoder_Wemb", source, d_model);
      tensors_["target_embedding.weight"] = weights_.matrix("decoder_Wemb", target, d_model);
    }
    if (options_.has_own_generator())
      tensors_["generator.weight"] =
          weights_.has("decoder_ff_logit_out_Wt")
              ? weights_.matrix("decoder_ff_logit_out_Wt", target, d_model)
              : weights_.matrix("decoder_ff_logit_out_W", d_model, target).t().contiguous();
    if (options_.output_bias)
      tensors_["generator.bias"] = weights_.vector("decoder_ff_logit_out_b", target);
  }

  const MarianWeights& weights_;
  const ModelOptions& options_;
  NamedTensors tensors_;
};

}  // namespace

std::pair<std::int64_t, std::int64_t> marian_vocabulary_sizes(const MarianWeights& weights) {
  const auto found = weights.options().find("dim-vocabs");
  std::array<std::int64_t, 2> sizes{};
  const bool two = found != weights.options().end() && found->second.size() == 2;
  for (std::size_t i = 0; two && i < 2; ++i) {
    const auto& text = found->second[i];
    std::from_chars(text.data(), text.data() + text.size(), sizes[i]);
  }
  if (sizes[0] < 1 || sizes[1] < 1)
    throw FormatError(concat(weights.place(),
                             ": special:model.yml: dim-vocabs should have the "
                             "sizes of two vocabularies"));
  return {sizes[0], sizes[1]};
}

ModelOptions marian_model_options(const MarianWeights& weights) {
  const MarianOptions options(weights);
  expect_plain_transformer(options);
  ModelOptions model;
  model.d_model = options.integer("dim-emb", "512");
  model.d_ff = options.integer("transformer-dim-ffn", "2048");
  model.decoder_d_ff = options.integer("transformer-decoder-dim-ffn", "0");
  model.num_heads = options.integer("transformer-heads", "8");
  model.encoder_layers = options.integer("enc-depth", "6");
  model.decoder_layers = options.integer("dec-depth", "6");
  model.norm = norm_of(options);
  model.layer_norm_eps = 1e-6;
  model.activation = marian_activation(options);
  model.sinusoids = Sinusoids::halves_inclusive;
  model.start_vector = StartVector::zero;
  model.share_embeddings = sharing_of(options);
  model.output_bias = !options.flag("output-omit-bias");
  const auto of_embedding = operations(options, "transformer-postprocess-emb", "d");
  if (!of_embedding.empty() && of_embedding != "n")
    options.refuse("transformer-postprocess-emb", "it should be d, n or nd");
  model.embedding_norm = of_embedding == "n";
  return model;
}

NamedTensors marian_tensors(const MarianWeights& weights, const ModelOptions& options) {
  auto tensors = MarianReader(weights, options).read();
  weights.expect_all_read();
  return tensors;
}

}  // namespace dragoman
