#include "dragoman/convert/huggingface_marian.h"

#include "dragoman/convert/huggingface_layers.h"
#include "dragoman/convert/huggingface_vocabulary.h"
#include "dragoman/core/error.h"
#include "dragoman/model/positional_encoding.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

void expect_marian_mt(const HuggingFaceConfig& config) {
  config.expect("is_encoder_decoder", true);
  for (const char* key :
       {"normalize_before", "normalize_embedding", "add_final_layer_norm", "add_bias_logits"})
    config.expect(key, false);
  config.expect("static_position_embeddings", true);
  const auto eos = config.id("eos_token_id");
  config.expect("forced_eos_token_id", eos);
  config.expect("forced_bos_token_id", nullptr);
}

/// Where the files have tables of positions, `transformers` uses these, rounded as they may be.
void read_stored_positions(const HuggingFaceWeights& weights, const HuggingFaceConfig& config,
                           ModelOptions& model, NamedTensors& tensors) {
  const std::string encoder = "model.encoder.embed_positions.weight",
                    decoder = "model.decoder.embed_positions.weight";
  if (!weights.has(encoder) && !weights.has(decoder)) return;
  const auto rows = config.integer("max_position_embeddings");
  const auto table =
      weights.tensor(weights.has(encoder) ? encoder : decoder, {rows, model.d_model});
  const auto sines = sinusoidal_table(rows, model.d_model, Sinusoids::halves).to(at::kFloat);
  const bool one = weights.has(encoder) && weights.has(decoder) &&
                   weights.tensor(decoder, {rows, model.d_model}).equal(table);
  const bool is_computed = (table - sines).abs().max().item<double>() < 1e-6;
  if (is_computed && (one || !weights.has(encoder) || !weights.has(decoder))) return;
  if (!one)
    throw FormatError(concat(weights.place(), ": ", encoder, " and ", decoder,
                             " differ; this program's models have one table of positions"));
  model.position = Position::learned;
  model.sinusoids = Sinusoids::interleaved;
  model.max_positions = rows;
  tensors["positions.weight"] = table;
}

}  // namespace

ForeignModel read_marian_mt(const fs::path& folder, const HuggingFaceConfig& config) {
  expect_marian_mt(config);
  auto model = huggingface_sizes(config);
  model.norm = NormPosition::post;
  model.sinusoids = Sinusoids::halves;
  model.output_bias = true;
  const auto source_rows = config.integer("vocab_size");
  const auto target_rows = config.integer("decoder_vocab_size", source_rows);
  const bool shared = config.flag("share_encoder_decoder_embeddings", true);
  const HuggingFaceWeights weights(folder);
  auto tensors = huggingface_layers(weights, model);
  add_huggingface_embeddings(weights, source_rows, target_rows, shared, model, tensors);
  tensors["generator.bias"] = weights.has("final_logits_bias")
                                  ? weights.tensor("final_logits_bias", {1, target_rows}).squeeze(0)
                                  : at::zeros({target_rows});
  read_stored_positions(weights, config, model, tensors);
  weights.expect_all_read({});

  const auto vocabulary = marian_mt_vocabulary(folder, config, source_rows, target_rows);
  ForeignModel result{.options = {},
                      .vocabulary = vocabulary,
                      .tensors = std::move(tensors),
                      .place = weights.place()};
  result.options.model = model;
  result.options.tokenizer.joint = shared;
  result.options.data.max_length =
      std::max<std::int64_t>(1, config.integer("max_position_embeddings", 512) - 1);
  result.options.search = config.search(result.vocabulary.target.special().pad);
  // Marian has no padding: what may be chosen there has all of the probability.
  const auto renormalize = config.search_option("renormalize_logits");
  result.options.search.renormalize = renormalize.is_null() || renormalize == true;
  return result;
}

}  // namespace dragoman
