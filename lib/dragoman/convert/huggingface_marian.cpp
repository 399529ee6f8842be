#include "dragoman/convert/huggingface_marian.h"

#include "dragoman/convert/huggingface_layers.h"
#include "dragoman/convert/huggingface_vocabulary.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/model/positional_encoding.h"

#include <ATen/ATen.h>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

void expect_marian_mt(const HuggingFaceConfig& config) {
  config.expect("is_encoder_decoder", true);
  for (const char* key :
       {"normalize_before", "normalize_embedding", "add_final_layer_norm", "add_bias_logits"})
    config.expect(key, false);
  config.expect("static_position_embeddings", true);
  config.expect_search("forced_bos_token_id", nullptr);
}

HuggingFaceEmbeddings marian_mt_embeddings(const HuggingFaceConfig& config) {
  const auto source_rows = config.integer("vocab_size");
  HuggingFaceEmbeddings embeddings{
      .source_rows = source_rows,
      .target_rows = config.integer("decoder_vocab_size", source_rows),
      .shared = config.flag("share_encoder_decoder_embeddings", true),
      .tied = config.flag("tie_word_embeddings", true),
      .shared_because =
          "by config.json, where share_encoder_decoder_embeddings is true or missing; set it to "
          "false if they have one each, else copy the weights again"};
  if (embeddings.shared && source_rows != embeddings.target_rows)
    config.refuse("decoder_vocab_size",
                  concat("vocab_size is ", source_rows, ", but both sides have one embedding"));
  return embeddings;
}

/// Where the files have tables of positions, `transformers` uses these, rounded as they may be.
/// \param rows of each table
void read_stored_positions(const HuggingFaceWeights& weights, std::int64_t rows,
                           ModelOptions& model, NamedTensors& tensors) {
  const std::string encoder = "model.encoder.embed_positions.weight",
                    decoder = "model.decoder.embed_positions.weight";
  if (!weights.has(encoder) && !weights.has(decoder)) return;
  const auto table =
      weights.tensor(weights.has(encoder) ? encoder : decoder, {rows, model.d_model});
  const auto sines = sinusoidal_table(rows, model.d_model, Sinusoids::halves).to(at::kFloat);
  const bool one = weights.has(encoder) && weights.has(decoder) &&
                   weights.tensor(decoder, {rows, model.d_model}).equal(table);
  const bool is_computed = (table - sines).abs().max().item<double>() < 1e-6;
  if (is_computed && (one || !weights.has(encoder) || !weights.has(decoder))) return;
  if (weights.has(encoder) != weights.has(decoder))
    throw FormatError(concat(weights.place(), ": has only ",
                             weights.has(encoder) ? encoder : decoder,
                             " of the two tables of positions, and it is not that of the "
                             "sinusoids; copy the weights again"));
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
  expect_possible(model, config.place(), folder);
  const auto longest_text = huggingface_longest_text(config, 512);
  const auto embeddings = marian_mt_embeddings(config);
  const auto rows = embeddings.target_rows;
  const HuggingFaceWeights weights(folder);
  auto tensors = huggingface_layers(weights, model);
  add_huggingface_embeddings(weights, embeddings, model, tensors);
  tensors["generator.bias"] = weights.has("final_logits_bias")
                                  ? weights.tensor("final_logits_bias", {1, rows}).squeeze(0)
                                  : at::zeros({rows});
  read_stored_positions(weights, longest_text + 1, model, tensors);
  // Saved beside the embeddings of both sides, it is none of theirs.
  weights.expect_all_read(embeddings.shared ? std::set<std::string>()
                                            : std::set<std::string>{"model.shared.weight"});

  const auto vocabulary = marian_mt_vocabulary(folder, config, embeddings.source_rows, rows);
  ForeignModel result{.options = {},
                      .vocabulary = vocabulary,
                      .tensors = std::move(tensors),
                      .place = weights.place()};
  result.options.model = model;
  result.options.tokenizer.joint = embeddings.shared;
  result.options.data.max_length = longest_text;
  result.options.search = config.search(result.vocabulary.target.special());
  // Marian has no padding: what may be chosen there has all of the probability.
  result.options.search.renormalize = config.renormalizes(true);
  return result;
}

}  // namespace dragoman
