#include "dragoman/inference/step_logits.h"

#include "dragoman/kernels/packed_kernel.h"
#include "dragoman/kernels/row_functions.h"

#include <algorithm>

namespace dragoman {

constexpr std::int64_t panels_of_chunk = logits_chunk / panel_columns;
static_assert(panels_of_chunk * panel_columns == logits_chunk);
static_assert(logits_chunk <= most_blocks * logits_block);

LogitsOf<float> StepLogits::compute(const float* hidden, std::span<const std::size_t> sentences) {
  const auto& generator =
      short_generator_ == nullptr ? workspace_.weights().generator : short_generator_->matrix();
  const auto rows = std::ssize(sentences);
  float* product = workspace_.logits.of_size(rows * generator.outputs());
  LogitsOf<float> logits{.values = product, .rows = rows, .vocab_size = generator.outputs()};
  workspace_.pack(hidden, rows, generator);
  if (short_generator_ == nullptr) {
    make_room(logits);
    workspace_.multiply_packed(generator, {.c = product}, panels_of_chunk,
                               [&](std::int64_t chunk) { reduce_chunk(logits, chunk); });
    return logits;
  }
  workspace_.multiply_packed(generator, {.c = product});
  take_own_tokens(sentences, logits);
  make_room(logits);
  for (std::int64_t chunk = 0; chunk * logits_chunk < logits.vocab_size; ++chunk)
    reduce_chunk(logits, chunk);
  return logits;
}

/// For the maxima and the sums.
void StepLogits::make_room(LogitsOf<float>& logits) {
  logits.block_maxima = maxima_.of_size(logits.rows * logits.blocks());
  logits.chunk_sums = sums_.of_size(logits.rows * logits.chunks());
}

void StepLogits::reduce_chunk(const LogitsOf<float>& logits, std::int64_t chunk) {
  const auto first = chunk * logits_chunk;
  reduce_columns({.x = logits.values + first,
                  .rows = logits.rows,
                  .count = std::min(logits_chunk, logits.vocab_size - first),
                  .width = logits.vocab_size,
                  .block = logits_block,
                  .maxima = maxima_.data() + first / logits_block,
                  .maxima_width = logits.blocks(),
                  .sums = sums_.data() + chunk,
                  .sums_width = logits.chunks()});
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
