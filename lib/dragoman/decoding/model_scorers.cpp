#include "dragoman/decoding/model_scorers.h"

#include "dragoman/decoding/device_ranking.h"
#include "dragoman/model/attention_record.h"
#include "dragoman/search/coverage.h"
#include "dragoman/tensor/device.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace dragoman {

namespace {

bool is_every_row(std::span<const std::int64_t> rows, std::int64_t count) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i] != static_cast<std::int64_t>(i)) return false;
  return std::ssize(rows) == count;
}

}  // namespace

RankedTokens ModuleScorer::rank_tokens(const RankingRequest& request,
                                       std::span<NextTokenScorer* const> others) {
  std::vector<at::Tensor> logits = {next_logits()};
  for (auto* other : others) logits.push_back(dynamic_cast<ModuleScorer&>(*other).next_logits());
  return rank_on_device(logits, request);
}

TransformerScorer::TransformerScorer(Transformer model)
    : model_(std::move(model)), device_(device_of(*model_)) {}

at::Tensor TransformerScorer::next_logits() { return model_->generator()->forward(hidden_); }

Logits TransformerScorer::logits(std::int64_t first, std::int64_t count) {
  logits_ = model_->generator()->forward(hidden_.narrow(0, first, count));
  return readable_logits(logits_);
}

CachedScorer::CachedScorer(Transformer model, const PaddedIds& source, const SearchOptions& search)
    : TransformerScorer(std::move(model)) {
  const auto mask = source.mask.to(device_);
  state_ = model_->start(model_->encode(source.ids.to(device_), mask), mask);
  if (search.coverage_penalty > 0.0) source_mask_ = mask;
}

void CachedScorer::advance(std::span<const std::int64_t> tokens) {
  if (!source_mask_.defined()) {
    hidden_ = model_->advance(numbers_on(device_, tokens), state_);
    return;
  }
  at::Tensor attention;
  hidden_ = model_->advance(numbers_on(device_, tokens), state_, &attention);
  attention_ = attention_.defined() ? attention_ + attention : attention;
}

std::vector<double> CachedScorer::coverage() {
  return attention_.defined() ? log_coverage_of_rows(attention_, source_mask_)
                              : std::vector<double>{};
}

std::int64_t CachedScorer::rows_at_once() const {
  return device_.is_cpu() ? NextTokenScorer::rows_at_once()
                          : std::max<std::int64_t>(hidden_.size(0), 1);
}

void CachedScorer::select_rows(std::span<const std::int64_t> rows) {
  // Where reading a tensor of rows is slow, this is seen here and not by DecoderState.
  if (!device_.is_cpu() && hidden_.defined() && is_every_row(rows, hidden_.size(0))) return;
  const auto kept = numbers_on(device_, rows);
  state_.select_rows(kept);
  if (attention_.defined()) attention_ = attention_.index_select(0, kept);
}

void CachedScorer::select_sentences(std::span<const std::int64_t> sentences) {
  const auto kept = numbers_on(device_, sentences);
  state_.select_sentences(kept);
  if (source_mask_.defined()) source_mask_ = source_mask_.index_select(0, kept);
}

UncachedScorer::UncachedScorer(Transformer model, const PaddedIds& source,
                               const SearchOptions& search)
    : TransformerScorer(std::move(model)),
      mask_(source.mask.to(device_)),
      memory_(model_->encode(source.ids.to(device_), mask_)),
      prefix_(at::empty({memory_.size(0), 0}, at::TensorOptions(at::kLong).device(device_))),
      keep_coverage_(search.coverage_penalty > 0.0) {}

void UncachedScorer::advance(std::span<const std::int64_t> tokens) {
  prefix_ = at::cat({prefix_, numbers_on(device_, tokens).unsqueeze(1)}, 1);
  const auto width = prefix_.size(0) / memory_.size(0);
  AttentionRecord record;
  const auto decoded =
      model_->decode(prefix_, memory_.repeat_interleave(width, 0),
                     mask_.repeat_interleave(width, 0), keep_coverage_ ? &record : nullptr);
  hidden_ = decoded.select(1, -1);
  if (keep_coverage_) attention_ = model_->mean_of_heads(record.cross.back()).sum(1);
}

std::vector<double> UncachedScorer::coverage() {
  return attention_.defined() ? log_coverage_of_rows(attention_, mask_) : std::vector<double>{};
}

void UncachedScorer::select_rows(std::span<const std::int64_t> rows) {
  prefix_ = prefix_.index_select(0, numbers_on(device_, rows));
}

void UncachedScorer::select_sentences(std::span<const std::int64_t> sentences) {
  const auto kept = numbers_on(device_, sentences);
  memory_ = memory_.index_select(0, kept);
  mask_ = mask_.index_select(0, kept);
}

std::unique_ptr<ModuleScorer> make_scorer(Transformer model, const PaddedIds& source,
                                          const SearchOptions& search) {
  if (search.cache) return std::make_unique<CachedScorer>(std::move(model), source, search);
  return std::make_unique<UncachedScorer>(std::move(model), source, search);
}

Logits readable_logits(at::Tensor& logits) {
  const auto type = logits.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  logits = logits.to(at::kCPU, type).contiguous();
  const auto rows = logits.size(0), vocab_size = logits.size(1);
  if (type == at::kDouble)
    return LogitsOf<double>{logits.mutable_data_ptr<double>(), rows, vocab_size};
  return LogitsOf<float>{logits.mutable_data_ptr<float>(), rows, vocab_size};
}

std::vector<double> log_coverage_of_rows(const at::Tensor& attention,
                                         const at::Tensor& source_mask) {
  const auto beam = attention.size(0) / source_mask.size(0);
  const auto padding = source_mask.logical_not().repeat_interleave(beam, 0);
  const auto sums = attention.to(at::kDouble)
                        .clamp(least_coverage, 1.0)
                        .log()
                        .masked_fill(padding, 0.0)
                        .sum(1)
                        .cpu();
  const auto* first = sums.const_data_ptr<double>();
  return {first, first + sums.numel()};
}

}  // namespace dragoman
