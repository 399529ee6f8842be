#include "dragoman/search/model_scorers.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

at::Device device_of(const Transformer& model) { return model->parameters().front().device(); }

/// The numbers as a tensor of their own on `device`.
at::Tensor to_tensor(std::span<const std::int64_t> values, at::Device device) {
  const auto copy = at::empty({std::ssize(values)}, at::kLong);
  std::copy(values.begin(), values.end(), copy.mutable_data_ptr<std::int64_t>());
  return copy.to(device);
}

}  // namespace

CachedScorer::CachedScorer(Transformer model, const SourceBatch& source)
    : model_(std::move(model)), device_(device_of(model_)) {
  const auto mask = source.mask.to(device_);
  state_ = model_->start(model_->encode(source.ids.to(device_), mask), mask);
}

void CachedScorer::advance(std::span<const std::int64_t> tokens) {
  hidden_ = model_->advance(to_tensor(tokens, device_), state_);
}

at::Tensor CachedScorer::logits(std::int64_t first, std::int64_t count) {
  return model_->generator()->forward(hidden_.narrow(0, first, count));
}

std::int64_t CachedScorer::rows_at_once() const {
  return device_.is_cpu() ? NextTokenScorer::rows_at_once() : std::max<std::int64_t>(hidden_.size(0), 1);
}

void CachedScorer::select_rows(std::span<const std::int64_t> rows) {
  state_.select_rows(to_tensor(rows, device_));
}

void CachedScorer::select_sentences(std::span<const std::int64_t> sentences) {
  state_.select_sentences(to_tensor(sentences, device_));
}

PrefixScorer::PrefixScorer(Transformer model, const SourceBatch& source)
    : model_(std::move(model)),
      device_(device_of(model_)),
      mask_(source.mask.to(device_)),
      memory_(model_->encode(source.ids.to(device_), mask_)),
      prefix_(at::empty({memory_.size(0), 0}, at::TensorOptions(at::kLong).device(device_))) {}

void PrefixScorer::advance(std::span<const std::int64_t> tokens) {
  prefix_ = at::cat({prefix_, to_tensor(tokens, device_).unsqueeze(1)}, 1);
  const auto width = prefix_.size(0) / memory_.size(0);
  const auto decoded = model_->decode(prefix_, memory_.repeat_interleave(width, 0),
                                      mask_.repeat_interleave(width, 0));
  hidden_ = decoded.select(1, -1);
}

at::Tensor PrefixScorer::logits(std::int64_t first, std::int64_t count) {
  return model_->generator()->forward(hidden_.narrow(0, first, count));
}

void PrefixScorer::select_rows(std::span<const std::int64_t> rows) {
  prefix_ = prefix_.index_select(0, to_tensor(rows, device_));
}

void PrefixScorer::select_sentences(std::span<const std::int64_t> sentences) {
  const auto kept = to_tensor(sentences, device_);
  memory_ = memory_.index_select(0, kept);
  mask_ = mask_.index_select(0, kept);
}

std::unique_ptr<NextTokenScorer> make_scorer(Transformer model, const SourceBatch& source,
                                             bool cache) {
  if (cache) return std::make_unique<CachedScorer>(std::move(model), source);
  return std::make_unique<PrefixScorer>(std::move(model), source);
}

}  // namespace dragoman
