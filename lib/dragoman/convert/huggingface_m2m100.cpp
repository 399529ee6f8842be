#include "dragoman/convert/huggingface_m2m100.h"

#include "dragoman/convert/huggingface_languages.h"
#include "dragoman/convert/huggingface_layers.h"

#include <algorithm>
#include <utility>

namespace dragoman {

ForeignModel read_m2m100(const std::filesystem::path& folder, const HuggingFaceConfig& config,
                         const LanguagePair& languages) {
  config.expect("is_encoder_decoder", true);
  const auto rows = config.integer("vocab_size");
  auto model = huggingface_sizes(config);
  model.norm = NormPosition::pre;
  model.sinusoids = Sinusoids::halves_inclusive;
  model.position_offset = config.id("pad_token_id") + 1;
  model.embed_scale = config.flag("scale_embedding", true);
  const HuggingFaceWeights weights(folder);
  auto tensors = huggingface_layers(weights, model);
  add_huggingface_embeddings(weights, rows, rows, /*shared=*/true, model, tensors);
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
  result.options.data.max_length =
      std::max<std::int64_t>(1, config.integer("max_position_embeddings", 1024) - 1);
  result.options.search = config.search(config.id("pad_token_id"));
  result.options.search.renormalize = config.search_option("renormalize_logits") == true;
  return result;
}

}  // namespace dragoman
