#include "dragoman/model/language_model.h"

#include "dragoman/core/concat.h"
#include "dragoman/tensor/shape.h"

namespace dragoman {

LanguageModelImpl::LanguageModelImpl(const ModelOptions& options, std::int64_t vocab_size)
    : options_(options) {
  options_.validate();
  if (options_.start_vector != StartVector::token)
    throw OptionsError(concat("model.start_vector: ", nlohmann::json(options_.start_vector).dump(),
                              " is for models with a source; leave it out"));
  positions_ = register_module("positions", PositionalEncoding(options_));
  embedding_ = register_module("embedding", Embedding(options_, vocab_size, positions_));
  if (options_.embedding_norm)
    embedding_norm_ =
        register_module("embedding_norm", LayerNorm(options_.d_model, options_.layer_norm_eps));
  decoder_ = register_module("decoder", Decoder(options_, MemoryUse::none));
  generator_ = register_module("generator", options_.has_own_generator()
                                                ? Generator(options_, vocab_size)
                                                : Generator(options_, embedding_->weight()));
}

torch::Tensor LanguageModelImpl::forward(const torch::Tensor& ids) {
  return decoder_->forward(embedding_->forward(ids, EmbeddingUse{.norm = embedding_norm_}), {});
}

DecoderState LanguageModelImpl::start() { return decoder_->start({}, {}); }

torch::Tensor LanguageModelImpl::advance(const torch::Tensor& tokens, DecoderState& state) {
  const torch::NoGradGuard no_gradient;
  expect_shape("tokens", tokens, {"rows"});
  const auto embedded = embedding_->forward(
      tokens.unsqueeze(1), EmbeddingUse{.start = state.length, .norm = embedding_norm_});
  return decoder_->step(embedded, state).squeeze(1);
}

}  // namespace dragoman
