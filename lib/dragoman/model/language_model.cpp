#include "dragoman/model/language_model.h"

#include "dragoman/tensor/shape.h"

namespace dragoman {

LanguageModelImpl::LanguageModelImpl(const ModelOptions& options, std::int64_t vocab_size)
    : options_(options) {
  options_.validate();
  positions_ = register_module("positions", PositionalEncoding(options_));
  embedding_ = register_module("embedding", Embedding(options_, vocab_size, positions_));
  decoder_ = register_module("decoder", Decoder(options_, MemoryUse::none));
  generator_ = register_module("generator", options_.share_embeddings == ShareEmbeddings::none
                                                ? Generator(options_, vocab_size)
                                                : Generator(options_, embedding_->weight()));
}

torch::Tensor LanguageModelImpl::forward(const torch::Tensor& ids) {
  return decoder_->forward(embedding_->forward(ids), {});
}

DecoderState LanguageModelImpl::start() { return decoder_->start({}, {}); }

torch::Tensor LanguageModelImpl::advance(const torch::Tensor& tokens, DecoderState& state) {
  const torch::NoGradGuard no_gradient;
  expect_shape("tokens", tokens, {"rows"});
  const auto embedded = embedding_->forward(tokens.unsqueeze(1), state.length);
  return decoder_->step(embedded, state).squeeze(1);
}

}  // namespace dragoman
