#include "dragoman/convert/huggingface_m2m100.h"

#include "dragoman/convert/huggingface_languages.h"
#include "dragoman/convert/huggingface_layers.h"
#include "dragoman/core/concat.h"

#include <utility>

namespace dragoman {

ForeignModel read_m2m100(const std::filesystem::path& folder, const HuggingFaceConfig& config,
                         const Languages& languages) {
  config.expect("is_encoder_decoder", true);
  const auto rows = config.integer("vocab_size");
  auto model = huggingface_sizes(config);
  model.norm = NormPosition::pre;
  model.sinusoids = Sinusoids::halves_inclusive;
  const auto padding = config.integer("pad_token_id", 1);
  if (padding < 0 || padding >= rows)
    config.refuse("pad_token_id", concat("it should be one of the ", rows, " rows, from 0 on"));
  model.position_offset = padding + 1;
  model.embed_scale = config.flag("scale_embedding", true);
  expect_possible(model, config.place(), folder);
  const HuggingFaceWeights weights(folder);
  auto tensors = huggingface_layers(weights, model);
  add_huggingface_embeddings(weights,
                             {.source_rows = rows,
                              .target_rows = rows,
                              .shared = true,
                              .tied = config.flag("tie_word_embeddings", true),
                              .shared_because = "in every M2M100 model; copy the weights again"},
                             model, tensors);
  // Sinusoids, which early files hold and nothing reads.
  weights.expect_all_read(
      {"model.encoder.embed_positions.weights", "model.decoder.embed_positions.weights"});

  const auto vocabulary = language_vocabulary(folder, config, languages, rows);
  ForeignModel result{.options = {},
                      .vocabulary = vocabulary,
                      .tensors = std::move(tensors),
                      .place = weights.place()};
  result.options.model = model;
  result.options.tokenizer.joint = true;
  result.options.data.max_length = huggingface_longest_text(config, 1024);
  result.options.search = config.search(result.vocabulary.target.special());
  result.options.search.renormalize = config.renormalizes(false);
  return result;
}

}  // namespace dragoman
