#include "dragoman/model/classifier.h"

namespace dragoman {

ClassifierImpl::ClassifierImpl(const ModelOptions& options, std::int64_t vocab_size,
                               std::int64_t classes)
    : options_(options) {
  options_.validate();
  positions_ = register_module("positions", PositionalEncoding(options_));
  embedding_ = register_module("embedding", Embedding(options_, vocab_size, positions_));
  if (options_.embedding_norm)
    embedding_norm_ =
        register_module("embedding_norm", LayerNorm(options_.d_model, options_.layer_norm_eps));
  encoder_ = register_module("encoder", Encoder(options_));
  output_ = register_module("output",
                            Linear(LinearOptions{.inputs = options_.d_model, .outputs = classes}));
}

torch::Tensor ClassifierImpl::forward(const torch::Tensor& ids, const torch::Tensor& mask) {
  auto attention_mask = AttentionMask::of_keys(mask, embedding_->weight().scalar_type());
  if (options_.encoder_attention.needs_tokens()) attention_mask.tokens = ids;
  const auto embedded = embedding_->forward(ids, EmbeddingUse{.norm = embedding_norm_});
  return output_->forward(pool(encoder_->forward(embedded, attention_mask), mask));
}

torch::Tensor ClassifierImpl::pool(const torch::Tensor& hidden, const torch::Tensor& mask) const {
  if (options_.pooling == Pooling::first) return hidden.select(1, 0);
  const auto real = mask.unsqueeze(2);
  return hidden.masked_fill(real.logical_not(), 0.0).sum(1) / real.sum(1);
}

}  // namespace dragoman
