#include "dragoman/convert/marian_export_model.h"

#include "dragoman/convert/required_options.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/run/parameters.h"
#include "dragoman/storage/npz_writer.h"

#include <ATen/ATen.h>

#include <map>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

using MarianTerms = std::pair<const char*, const char*>;  // ours, theirs

/// The release whose equations the options are written for: since v1.10.24 the keys of pre-norm
/// self-attention are normalised, since v1.12.3 gelu is the exact one.
const char* marian_version(const ModelOptions& model) {
  const auto has = [&](Activation activation) {
    return model.activation == activation ||
           (model.decoder_layer == DecoderLayerKind::average_attention &&
            model.average_activation == activation);
  };
  if (has(Activation::gelu) && (has(Activation::gelu_sigmoid) || !model.norm_keys))
    throw OptionsError(
        "model.activation: gelu cannot be represented in Marian's format together with "
        "gelu_sigmoid or model.norm_keys=false, which only releases without it have");
  if (!model.norm_keys) return "v1.10.23";
  return has(Activation::gelu_sigmoid) ? "v1.12.0" : "v1.12.43";
}

const char* marian_name(Activation activation) {
  switch (activation) {
    case Activation::relu: return "relu";
    case Activation::swish: return "swish";
    case Activation::gelu:
    case Activation::gelu_sigmoid: return "gelu";
    case Activation::gelu_tanh: break;
  }
  throw OptionsError(
      "model.activation: gelu_tanh cannot be represented in Marian's format, which has relu, swish "
      "and gelu");
}

void expect_form_of_marian(const ModelOptions& model) {
  RequiredOptions required("Marian's format");
  required.expect(model.position == Position::sinusoidal, "position", "sinusoidal");
  required.expect(model.sinusoids == Sinusoids::halves_inclusive, "sinusoids", "halves_inclusive");
  required.expect(model.position_offset == 0, "position_offset", "0");
  required.expect(model.start_vector == StartVector::zero, "start_vector", "zero");
  required.expect(model.layer_norm_eps == 1e-6, "layer_norm_eps", "1e-6");
  required.expect(model.embed_scale, "embed_scale", "true");
  required.expect(model.embed_scale_value == 0.0, "embed_scale_value", "0");
  required.expect(model.decoder_layer != DecoderLayerKind::lstm, "decoder_layer",
                  "attention, ssru or average_attention");
  required.expect(model.heads_of(StackSide::decoder) == model.num_heads, "decoder_num_heads", "0");
  required.expect_usual_layers(model);
  required.check();
}

const char* marian_flag(bool value) { return value ? "true" : "false"; }

/// What the decoder has for the positions before, under Marian's names.
std::string decoder_layer_text(const ModelOptions& model) {
  constexpr const char* key = "transformer-decoder-autoreg: ";
  switch (model.decoder_layer) {
    case DecoderLayerKind::ssru:
      return concat("dec-cell: ssru\n", key,
                    "rnn\ntransformer-rnn-projection: ", marian_flag(model.ssru_output), '\n');
    case DecoderLayerKind::average_attention:
      return concat("transformer-aan-activation: ", marian_name(model.average_activation),
                    "\ntransformer-aan-depth: ", model.average_depth,
                    "\ntransformer-aan-nogate: ", marian_flag(!model.average_gate), '\n', key,
                    "average-attention\ntransformer-dim-aan: ", model.average_width(), '\n');
    default: return concat(key, "self-attention\n");
  }
}

/// special:model.yml, in the order of Marian's own files.
std::string options_text(const ModelOptions& model, const VocabularySizes& sizes) {
  const bool pre = model.norm == NormPosition::pre;
  std::string text;
  const auto add = [&](const char* key, const auto& value) {
    text += concat(key, ": ", value, '\n');
  };
  add("dec-depth", model.decoder_layers);
  add("dim-emb", model.d_model);
  text += concat("dim-vocabs:\n  - ", sizes.source, "\n  - ", sizes.target, '\n');
  add("enc-depth", model.encoder_layers);
  add("factors-dim-emb", 0);
  text += "input-types:\n  []\n";
  add("layer-normalization", "false");
  add("lemma-dependency", "\"\"");
  add("lemma-dim-emb", 0);
  add("output-omit-bias", marian_flag(!model.output_bias));
  add("right-left", "false");
  add("skip", "false");
  add("tied-embeddings", marian_flag(model.share_embeddings == ShareEmbeddings::target_output));
  add("tied-embeddings-all", marian_flag(model.share_embeddings == ShareEmbeddings::all));
  add("tied-embeddings-src", marian_flag(model.share_embeddings == ShareEmbeddings::source_target));
  text += decoder_layer_text(model);
  add("transformer-decoder-dim-ffn", model.decoder_d_ff);
  add("transformer-decoder-ffn-depth", 0);
  add("transformer-dim-ffn", model.d_ff);
  add("transformer-ffn-activation", marian_name(model.activation));
  add("transformer-ffn-depth", 2);
  add("transformer-guided-alignment-layer", "last");
  add("transformer-heads", model.num_heads);
  add("transformer-no-projection", "false");
  add("transformer-postprocess", pre ? "da" : "dan");
  add("transformer-postprocess-emb", model.embedding_norm ? "nd" : "d");
  add("transformer-postprocess-top", pre ? "n" : "\"\"");
  add("transformer-preprocess", pre ? "n" : "\"\"");
  text += "transformer-tied-layers:\n  []\n";
  add("transformer-train-position-embeddings", "false");
  add("type", "transformer");
  add("ulr", "false");
  add("version", marian_version(model));
  return text + '\0';
}

/// The parameters under Marian's names: matrices as [inputs, outputs], vectors as [1, size].
class MarianParameters {
 public:
  explicit MarianParameters(const LoadedRun& run)
      : options_(run.options.model), ours_(parameters_of(*run.model)) {
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i) {
      const auto ours = concat("encoder.layers.", i), theirs = concat("encoder_l", i + 1);
      attention(ours + ".self_attention", theirs + "_self");
      feed_forward(ours, theirs);
    }
    for (std::int64_t i = 0; i < options_.decoder_layers; ++i) {
      const auto ours = concat("decoder.layers.", i), theirs = concat("decoder_l", i + 1);
      past(ours, theirs);
      attention(ours + ".memory_attention", theirs + "_context");
      feed_forward(ours, theirs);
    }
    for (const auto& [ours, theirs] : {MarianTerms{"encoder.final_norm", "encoder_top_ln"},
                                       {"decoder.final_norm", "decoder_top_ln"}})
      if (options_.norm == NormPosition::pre) norm(ours, theirs, "");
    for (const auto& [ours, theirs] : {MarianTerms{"source_embedding_norm", "encoder_emb_ln"},
                                       {"target_embedding_norm", "decoder_emb_ln"}})
      if (options_.embedding_norm) norm(ours, theirs, "_pre");
    vocabularies();
  }

  const std::map<std::string, at::Tensor>& all() const { return theirs_; }

 private:
  /// What the decoder has for the positions before.
  void past(const std::string& ours, const std::string& theirs) {
    switch (options_.decoder_layer) {
      case DecoderLayerKind::ssru: return ssru(ours + ".ssru", theirs + "_rnn");
      case DecoderLayerKind::average_attention:
        return average_attention(ours + ".average_attention", theirs + "_aan");
      default: return attention(ours + ".self_attention", theirs + "_self");
    }
  }

  void ssru(const std::string& ours, const std::string& theirs) {
    theirs_[theirs + "_W"] = ours_.at(ours + ".input.weight").t();
    linear(ours + ".forget", theirs + "_Wf", theirs + "_bf");
    if (options_.ssru_output) linear(ours + ".output", theirs + "_Wo", theirs + "_bo");
    const bool pre = options_.norm == NormPosition::pre;
    norm(ours + "_norm", theirs + (pre ? "_ln" : "_ffn_ln"), block_ending());
  }

  void average_attention(const std::string& ours, const std::string& theirs) {
    const auto map = [&](const std::string& name, const auto& number) {
      if (ours_.contains(concat(ours, '.', name, ".weight")))
        linear(concat(ours, '.', name), concat(theirs, "_W", number), concat(theirs, "_b", number));
    };
    for (std::int64_t i = 1; i < options_.average_depth; ++i) map(concat("inner_", i - 1), i);
    map("outer", options_.average_depth);
    map("input_gate", 'i');
    map("mean_gate", 'f');
    norm(ours + "_norm", theirs + "_ffn_ln", block_ending());
  }

  void feed_forward(const std::string& ours, const std::string& theirs) {
    linear(ours + ".feed_forward.inner", theirs + "_ffn_W1", theirs + "_ffn_b1");
    linear(ours + ".feed_forward.outer", theirs + "_ffn_W2", theirs + "_ffn_b2");
    norm(ours + ".feed_forward_norm", theirs + "_ffn_ffn_ln", block_ending());
  }

  void attention(const std::string& ours, const std::string& theirs) {
    for (const auto& [name, letter] :
         {MarianTerms{"query", "q"}, {"key", "k"}, {"value", "v"}, {"output", "o"}})
      linear(concat(ours, '.', name), concat(theirs, "_W", letter), concat(theirs, "_b", letter));
    norm(ours + "_norm", theirs + "_Wo_ln", block_ending());
  }

  const char* block_ending() const { return options_.norm == NormPosition::pre ? "_pre" : ""; }

  void linear(const std::string& ours, const std::string& weight, const std::string& bias) {
    const auto matrix = ours_.at(ours + ".weight").t();
    theirs_[weight] = matrix;
    const auto own = ours_.find(ours + ".bias");
    theirs_[bias] = own == ours_.end() ? at::zeros({1, matrix.size(1)}) : own->second.unsqueeze(0);
  }

  void norm(const std::string& ours, const std::string& theirs, const char* ending) {
    theirs_[concat(theirs, "_scale", ending)] = ours_.at(ours + ".weight").unsqueeze(0);
    theirs_[concat(theirs, "_bias", ending)] = ours_.at(ours + ".bias").unsqueeze(0);
  }

  void vocabularies() {
    if (options_.has_joint_embedding()) {
      theirs_["Wemb"] = ours_.at("embedding.weight");
    } else {
      theirs_["encoder_Wemb"] = ours_.at("source_embedding.weight");
      theirs_["decoder_Wemb"] = ours_.at("target_embedding.weight");
    }
    if (options_.has_own_generator())
      theirs_["decoder_ff_logit_out_Wt"] = ours_.at("generator.weight");
    if (options_.output_bias)
      theirs_["decoder_ff_logit_out_b"] = ours_.at("generator.bias").unsqueeze(0);
  }

  const ModelOptions& options_;
  NamedTensors ours_;
  std::map<std::string, at::Tensor> theirs_;
};

}  // namespace

void write_marian_npz(const LoadedRun& run, const std::filesystem::path& file) {
  expect_form_of_marian(run.options.model);
  const auto text = options_text(run.options.model, {.source = run.vocabulary.source.vocab_size(),
                                                     .target = run.vocabulary.target.vocab_size()});
  const MarianParameters parameters(run);
  NpzWriter npz(file);
  for (const auto& [name, tensor] : parameters.all()) {
    const auto values = tensor.to(at::kFloat).contiguous();
    npz.add({.name = name,
             .type = "<f4",
             .shape = values.sizes().vec(),
             .bytes = {static_cast<const char*>(values.const_data_ptr()),
                       static_cast<std::size_t>(values.nbytes())}});
  }
  npz.add({.name = "special:model.yml",
           .type = "|i1",
           .shape = {static_cast<std::int64_t>(text.size())},
           .bytes = text});
  npz.commit();
}

}  // namespace dragoman
