#include "dragoman/language_model/language_scorer.h"

#include "dragoman/decoding/model_scorers.h"

#include <torch/types.h>

#include <utility>

namespace dragoman {

namespace {

at::Tensor ids_tensor(std::span<const std::int64_t> values) {
  return torch::tensor(at::IntArrayRef(values.data(), values.size()), torch::kLong);
}

}  // namespace

LanguageScorer::LanguageScorer(LanguageModel model)
    : model_(std::move(model)), state_(model_->start()) {}

void LanguageScorer::advance(std::span<const std::int64_t> tokens) {
  hidden_ = model_->advance(ids_tensor(tokens), state_);
}

Logits LanguageScorer::logits(std::int64_t first, std::int64_t count) {
  logits_ = model_->generator()->forward(hidden_.narrow(0, first, count));
  return readable_logits(logits_);
}

void LanguageScorer::select_rows(std::span<const std::int64_t> rows) {
  state_.select_rows(ids_tensor(rows));
}

// The state belongs to rows, which are selected by the call that follows.
void LanguageScorer::select_sentences(std::span<const std::int64_t>) {}

}  // namespace dragoman
