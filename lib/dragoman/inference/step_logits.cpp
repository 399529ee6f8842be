#include "dragoman/inference/step_logits.h"

#include "dragoman/kernels/row_functions.h"

namespace dragoman {

LogitsOf<float> StepLogits::compute(const float* hidden, std::span<const std::size_t> sentences) {
  const auto& generator =
      short_generator_ == nullptr ? workspace_.weights().generator : short_generator_->matrix();
  const auto rows = std::ssize(sentences);
  float* product = workspace_.logits.of_size(rows * generator.outputs());
  workspace_.multiply(generator, hidden, rows, {.c = product});
  LogitsOf<float> logits{.values = product, .rows = rows, .vocab_size = generator.outputs()};
  if (short_generator_ != nullptr) take_own_tokens(sentences, logits);
  const auto blocks = (logits.vocab_size + logits_block - 1) / logits_block;
  logits.block_maxima = maxima_.of_size(rows * blocks);
  for (std::int64_t row = 0; row < rows; ++row)
    block_maxima(logits.values + row * logits.vocab_size, logits.vocab_size, logits_block,
                 logits.block_maxima + row * blocks);
  return logits;
}

/// Replaces the logits of all chosen tokens by those of each row's own.
void StepLogits::take_own_tokens(std::span<const std::size_t> sentences, LogitsOf<float>& logits) {
  const auto width = short_generator_->width();
  float* own = own_logits_.of_size(logits.rows * width);
  const float* product = logits.values;
  logits.values = own;
  own_tokens_.clear();
  for (const auto sentence : sentences) {
    short_generator_->take(sentence, product, own);
    own_tokens_.push_back(short_generator_->tokens(sentence));
    product += logits.vocab_size;
    own += width;
  }
  logits.vocab_size = width;
  logits.tokens = own_tokens_;
}

}  // namespace dragoman
