#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/huggingface_export_config.h"
#include "dragoman/convert/required_options.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/new_folder.h"
#include "dragoman/run/parameters.h"

#include <ATen/ATen.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

using ExportNames = std::pair<const char*, const char*>;  // ours, theirs

void expect_marian_form(const LoadedRun& run) {
  const auto& model = run.options.model;
  RequiredOptions required("MarianMT's format");
  required.expect(model.norm == NormPosition::post, "norm", "post");
  required.expect(model.layer_norm_eps == 1e-5, "layer_norm_eps", "1e-5");
  required.expect(model.position != Position::none, "position", "sinusoidal or learned");
  required.expect(model.sinusoids != Sinusoids::halves_inclusive, "sinusoids",
                  "interleaved or halves");
  required.expect(model.position_offset == 0, "position_offset", "0");
  required.expect(model.embed_scale_value == 0.0, "embed_scale_value", "0");
  required.expect(!model.embedding_norm, "embedding_norm", "false");
  required.expect(model.start_vector == StartVector::token, "start_vector", "token");
  required.expect(model.attention_bias, "attention_bias", "true");
  required.expect(model.decoder_layer == DecoderLayerKind::attention, "decoder_layer", "attention");
  required.expect_usual_layers(model);
  required.check();
  if (run.vocabulary.source.special().pad != run.vocabulary.target.special().pad ||
      run.vocabulary.source.special().eos != run.vocabulary.target.special().eos)
    throw OptionsError(
        "tokenizer.joint: both sides of MarianMT have one id for padding and one for the end, but "
        "they differ here");
}

/// The tensors under their names. MarianMT's sinusoids stand in halves; a model with the paper's is
/// the same with its features in another order, even ones first.
class MarianWriter {
 public:
  explicit MarianWriter(const LoadedRun& run)
      : options_(run.options.model), ours_(parameters_of(*run.model)) {
    const auto features = at::arange(options_.d_model);
    order_ = features;
    if (options_.position == Position::sinusoidal && options_.sinusoids == Sinusoids::interleaved)
      order_ = features.view({-1, 2}).t().reshape({-1}).contiguous();
  }

  std::map<std::string, LazyTensor> tensors() {
    for (std::int64_t i = 0; i < options_.encoder_layers; ++i) layer(concat("encoder.layers.", i));
    for (std::int64_t i = 0; i < options_.decoder_layers; ++i) {
      layer(concat("decoder.layers.", i));
      attention(concat("decoder.layers.", i, ".memory_attention"),
                concat("model.decoder.layers.", i, ".encoder_attn"));
    }
    vocabularies();
    if (options_.position == Position::learned)
      for (const char* side : {"encoder", "decoder"})
        columns(concat("model.", side, ".embed_positions.weight"), "positions.weight");
    return std::move(theirs_);
  }

 private:
  /// The same with the features of a dimension in MarianMT's order.
  void put(const std::string& theirs, const std::string& ours, int dimension) {
    const auto tensor = ours_.at(ours);
    theirs_[theirs] = {.shape = tensor.sizes().vec(), .make = [tensor, dimension, order = order_] {
                         return tensor.index_select(dimension, order);
                       }};
  }
  void columns(const std::string& theirs, const std::string& ours) { put(theirs, ours, 1); }
  void rows(const std::string& theirs, const std::string& ours) { put(theirs, ours, 0); }

  void keep(const std::string& theirs, const at::Tensor& tensor) {
    theirs_[theirs] = {.shape = tensor.sizes().vec(), .make = [tensor] { return tensor; }};
  }

  void layer(const std::string& ours) {
    const auto theirs = "model." + ours;
    attention(ours + ".self_attention", theirs + ".self_attn");
    inward(ours + ".feed_forward.inner", theirs + ".fc1");
    outward(ours + ".feed_forward.outer", theirs + ".fc2");
    norm(ours + ".feed_forward_norm", theirs + ".final_layer_norm");
  }

  void attention(const std::string& ours, const std::string& theirs) {
    for (const auto& [own, other] :
         {ExportNames{"query", "q_proj"}, {"key", "k_proj"}, {"value", "v_proj"}})
      inward(concat(ours, '.', own), concat(theirs, '.', other));
    outward(ours + ".output", theirs + ".out_proj");
    norm(ours + "_norm", theirs + "_layer_norm");
  }

  /// A map that reads the model's features.
  void inward(const std::string& ours, const std::string& theirs) {
    columns(theirs + ".weight", ours + ".weight");
    keep(theirs + ".bias", ours_.at(ours + ".bias"));
  }

  /// A map that writes them.
  void outward(const std::string& ours, const std::string& theirs) {
    for (const char* part : {".weight", ".bias"}) rows(theirs + part, ours + part);
  }

  void norm(const std::string& ours, const std::string& theirs) { outward(ours, theirs); }

  void vocabularies() {
    const bool joint = options_.has_joint_embedding();
    const auto target = joint ? "embedding.weight" : "target_embedding.weight";
    const bool own_output = options_.has_own_generator();
    if (joint) columns("model.shared.weight", target);
    // Release 5 ties both sides to the former only if the output is tied, too.
    if (!joint || own_output) {
      columns("model.decoder.embed_tokens.weight", target);
      columns("model.encoder.embed_tokens.weight", joint ? target : "source_embedding.weight");
    }
    if (own_output) columns("lm_head.weight", "generator.weight");
    keep("final_logits_bias", options_.output_bias ? ours_.at("generator.bias").unsqueeze(0)
                                                   : at::zeros({1, ours_.at(target).size(0)}));
  }

  const ModelOptions& options_;
  NamedTensors ours_;
  std::map<std::string, LazyTensor> theirs_;
  at::Tensor order_;
};

}  // namespace

void export_huggingface(const LoadedRun& run, const fs::path& out_dir) {
  expect_marian_form(run);
  expect_plain_texts(run.vocabulary, "MarianMT's format");
  expect_empty_folder(out_dir);
  warn_of_lost_generation(run);
  const auto& [source, target, joint] = run.vocabulary;
  const auto source_ids = marian_mt_vocabulary_json(source),
             target_ids = marian_mt_vocabulary_json(target);
  const bool separate = source_ids != target_ids;
  NewFolder folder(out_dir);
  const auto write = [&](const char* name, const nlohmann::json& json) {
    write_file_atomically(out_dir / name, json.dump(2) + "\n");
  };
  save_lazy_tensors(out_dir / "model.safetensors", MarianWriter(run).tensors(), {{"format", "pt"}});
  const auto generation = marian_mt_generation_json(run);
  write("config.json", marian_mt_config_json(run, generation));
  write("generation_config.json", generation);
  write("tokenizer_config.json", marian_mt_tokenizer_json(run, separate));
  write("vocab.json", source_ids);
  if (separate) write("target_vocab.json", target_ids);
  write_file_atomically(out_dir / "source.spm", source.sentencepiece());
  write_file_atomically(out_dir / "target.spm", target.sentencepiece());
  folder.keep();
}

}  // namespace dragoman
