#include "dragoman/convert/marian_model.h"

#include "dragoman/convert/marian_options.h"
#include "dragoman/core/concat.h"

#include <ATen/ATen.h>

#include <utility>

namespace dragoman {

namespace {

using MarianNames = std::pair<const char*, const char*>;  // theirs, ours

/// Matrices are stored as [inputs, outputs].
class MarianReader {
 public:
  MarianReader(const MarianWeights& weights, const ModelOptions& options)
      : weights_(weights), options_(options) {}

  NamedTensors read() {
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i) {
      const auto theirs = concat("encoder_l", i + 1), ours = concat("encoder.layers.", i);
      attention(theirs + "_self", ours + ".self_attention");
      feed_forward(theirs, ours, options_.d_ff);
    }
    const auto stored = marian_decoder_layers(weights_);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      const auto theirs = concat("decoder_l", stored[i]), ours = concat("decoder.layers.", i);
      past(theirs, ours);
      attention(theirs + "_context", ours + ".memory_attention");
      feed_forward(theirs, ours, options_.decoder_inner_width());
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
  /// What the decoder has for the positions before.
  void past(const std::string& theirs, const std::string& ours) {
    switch (options_.decoder_layer) {
      case DecoderLayerKind::ssru: return ssru(theirs + "_rnn", ours + ".ssru");
      case DecoderLayerKind::average_attention:
        return average_attention(theirs + "_aan", ours + ".average_attention");
      default: return attention(theirs + "_self", ours + ".self_attention");
    }
  }

  void ssru(const std::string& theirs, const std::string& ours) {
    const auto d_model = options_.d_model;
    matrix(theirs + "_W", ours + ".input", d_model, d_model);
    linear(theirs + "_Wf", theirs + "_bf", ours + ".forget", d_model, d_model);
    if (options_.ssru_output)
      linear(theirs + "_Wo", theirs + "_bo", ours + ".output", d_model, d_model);
    const bool pre = options_.norm == NormPosition::pre;
    norm(theirs + (pre ? "_ln" : "_ffn_ln"), block_ending(), ours + "_norm");
  }

  void average_attention(const std::string& theirs, const std::string& ours) {
    auto width = options_.d_model;
    const auto map = [&](const auto& number, const std::string& name, std::int64_t outputs) {
      linear(concat(theirs, "_W", number), concat(theirs, "_b", number), concat(ours, '.', name),
             width, outputs);
      width = outputs;
    };
    for (std::int64_t i = 1; i < options_.average_depth; ++i)
      map(i, concat("inner_", i - 1), options_.average_width());
    if (width != options_.d_model) map(options_.average_depth, "outer", options_.d_model);
    if (options_.average_gate) {
      map('i', "input_gate", options_.d_model);
      map('f', "mean_gate", options_.d_model);
    }
    norm(theirs + "_ffn_ln", block_ending(), ours + "_norm");
  }

  void feed_forward(const std::string& theirs, const std::string& ours, std::int64_t d_ff) {
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

  void matrix(const std::string& weight, const std::string& ours, std::int64_t inputs,
              std::int64_t outputs) {
    tensors_[ours + ".weight"] = weights_.matrix(weight, inputs, outputs).t().contiguous();
  }

  void linear(const std::string& weight, const std::string& bias, const std::string& ours,
              std::int64_t inputs, std::int64_t outputs) {
    matrix(weight, ours, inputs, outputs);
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

NamedTensors marian_tensors(const MarianWeights& weights, const ModelOptions& options) {
  auto tensors = MarianReader(weights, options).read();
  weights.expect_all_read();
  return tensors;
}

}  // namespace dragoman
