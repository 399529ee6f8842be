#include "dragoman/model/transformer.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/tensor/shape.h"

#include <algorithm>

namespace dragoman {

TransformerImpl::TransformerImpl(const ModelOptions& options, const VocabularySizes& vocabulary)
    : options_(options), vocabulary_(vocabulary) {
  options_.validate();
  positions_ = register_module("positions", PositionalEncoding(options_));
  make_embeddings();
  make_embedding_parts();
  encoder_ = register_module("encoder", Encoder(options_));
  decoder_ = register_module("decoder", Decoder(options_));
  generator_ = register_module("generator", options_.has_own_generator()
                                                ? Generator(options_, vocabulary_.target)
                                                : Generator(options_, target_embedding_->weight()));
}

void TransformerImpl::make_embeddings() {
  if (options_.has_joint_embedding()) {
    if (vocabulary_.source != vocabulary_.target)
      throw OptionsError(
          concat("model.share_embeddings: ", nlohmann::json(options_.share_embeddings).dump(),
                 " needs one vocabulary for both sides, but there are ", vocabulary_.source,
                 " source and ", vocabulary_.target,
                 " target pieces; choose \"target_output\" or \"none\", or a joint tokenizer"));
    source_embedding_ = target_embedding_ =
        register_module("embedding", Embedding(options_, vocabulary_.source, positions_));
    return;
  }
  source_embedding_ =
      register_module("source_embedding", Embedding(options_, vocabulary_.source, positions_));
  target_embedding_ =
      register_module("target_embedding", Embedding(options_, vocabulary_.target, positions_));
}

void TransformerImpl::make_embedding_parts() {
  if (options_.embedding_norm) {
    const auto norm = [this] { return LayerNorm(options_.d_model, options_.layer_norm_eps); };
    source_embedding_norm_ = register_module("source_embedding_norm", norm());
    target_embedding_norm_ = register_module("target_embedding_norm", norm());
  }
  if (options_.start_vector == StartVector::learned)
    start_vector_ = register_parameter("start_vector", torch::zeros({options_.d_model}));
}

torch::Tensor TransformerImpl::embed_source(const torch::Tensor& source,
                                            const torch::Tensor& kept) {
  return source_embedding_->forward(source,
                                    EmbeddingUse{.norm = source_embedding_norm_, .kept = kept});
}

torch::Tensor TransformerImpl::embed_target(const torch::Tensor& target_input, std::int64_t start,
                                            const torch::Tensor& kept) {
  const auto first = options_.start_vector == StartVector::zero && start == 0
                         ? torch::zeros({options_.d_model}, target_embedding_->weight().options())
                         : start_vector_;
  return target_embedding_->forward(
      target_input,
      EmbeddingUse{.start = start, .norm = target_embedding_norm_, .first = first, .kept = kept});
}

torch::Tensor TransformerImpl::encode(const torch::Tensor& source, const torch::Tensor& source_mask,
                                      AttentionRecord* record) {
  return encode_embedded(embed_source(source), source, source_mask, record);
}

torch::Tensor TransformerImpl::encode_embedded(const torch::Tensor& embedded,
                                               const torch::Tensor& source,
                                               const torch::Tensor& source_mask,
                                               AttentionRecord* record) {
  return encoder_->forward(embedded, encoder_mask(source, source_mask),
                           record != nullptr ? &record->encoder_self : nullptr);
}

AttentionMask TransformerImpl::encoder_mask(const torch::Tensor& source,
                                            const torch::Tensor& source_mask) const {
  auto mask = AttentionMask::of_keys(source_mask, dtype());
  if (options_.encoder_attention.needs_tokens()) mask.tokens = source;
  return mask;
}

torch::Tensor TransformerImpl::decode(const torch::Tensor& target_input,
                                      const torch::Tensor& memory, const torch::Tensor& source_mask,
                                      AttentionRecord* record) {
  return decode_embedded(embed_target(target_input), memory, source_mask, record);
}

torch::Tensor TransformerImpl::decode_embedded(const torch::Tensor& embedded,
                                               const torch::Tensor& memory,
                                               const torch::Tensor& source_mask,
                                               AttentionRecord* record) {
  return decoder_->forward(embedded, memory, AttentionMask::of_keys(source_mask, dtype()), record);
}

torch::Tensor TransformerImpl::forward(const torch::Tensor& source,
                                       const torch::Tensor& source_mask,
                                       const torch::Tensor& target_input) {
  return generator_->forward(decode(target_input, encode(source, source_mask), source_mask));
}

DecoderState TransformerImpl::start(const torch::Tensor& memory, const torch::Tensor& source_mask) {
  const torch::NoGradGuard no_gradient;
  return decoder_->start(memory, AttentionMask::of_keys(source_mask, dtype()));
}

torch::Tensor TransformerImpl::advance(const torch::Tensor& tokens, DecoderState& state,
                                       torch::Tensor* alignment) {
  const torch::NoGradGuard no_gradient;
  expect_shape("tokens", tokens, {"rows"});
  const auto embedded = embed_target(tokens.unsqueeze(1), state.length);
  const auto hidden = decoder_->step(embedded, state, alignment);
  if (alignment != nullptr) *alignment = mean_of_heads(*alignment).flatten(0, 1);
  return hidden.squeeze(1);
}

torch::Tensor TransformerImpl::mean_of_heads(const torch::Tensor& weights) const {
  const auto& last = options_.cross_attention.of_layer(options_.decoder_layers - 1);
  const auto heads = std::ssize(last.kept_heads(options_.heads_of(StackSide::cross)));
  return weights.sum(1).div_(std::max<std::int64_t>(heads, 1));
}

torch::Tensor TransformerImpl::step(const torch::Tensor& tokens, DecoderState& state) {
  const torch::NoGradGuard no_gradient;
  return generator_->forward(advance(tokens, state));
}

}  // namespace dragoman
