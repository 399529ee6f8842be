#include "dragoman/search/ensemble.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace dragoman {

at::Tensor mean_log_probs(std::span<const at::Tensor> logits) {
  at::Tensor sum;  // logarithm of the sum of probabilities
  for (const auto& member : logits) {
    const auto type = member.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    const auto log_probs = at::log_softmax(member, -1, type);
    sum = sum.defined() ? at::logaddexp(sum, log_probs) : log_probs;
  }
  return logits.size() == 1 ? sum : sum - std::log(static_cast<double>(logits.size()));
}

EnsembleScorer::EnsembleScorer(std::vector<std::unique_ptr<NextTokenScorer>> members)
    : members_(std::move(members)) {}

void EnsembleScorer::advance(std::span<const std::int64_t> tokens) {
  for (auto& member : members_) member->advance(tokens);
}

at::Tensor EnsembleScorer::logits(std::int64_t first, std::int64_t count) {
  std::vector<at::Tensor> logits;
  for (auto& member : members_) logits.push_back(member->logits(first, count));
  return mean_log_probs(logits);
}

std::int64_t EnsembleScorer::rows_at_once() const {
  std::int64_t rows = members_.front()->rows_at_once();
  for (const auto& member : members_) rows = std::min(rows, member->rows_at_once());
  return rows;
}

std::vector<double> EnsembleScorer::coverage() {
  std::vector<double> mean;
  for (auto& member : members_) {
    const auto part = member->coverage();
    mean.resize(part.size());
    for (std::size_t row = 0; row < part.size(); ++row)
      mean[row] += part[row] / static_cast<double>(members_.size());
  }
  return mean;
}

void EnsembleScorer::select_rows(std::span<const std::int64_t> rows) {
  for (auto& member : members_) member->select_rows(rows);
}

void EnsembleScorer::select_sentences(std::span<const std::int64_t> sentences) {
  for (auto& member : members_) member->select_sentences(sentences);
}

std::unique_ptr<NextTokenScorer> make_scorer(std::span<const Transformer> models,
                                             const PaddedIds& source, const SearchOptions& search) {
  if (models.size() == 1) return make_scorer(models.front(), source, search);
  std::vector<std::unique_ptr<NextTokenScorer>> members;
  for (const auto& model : models) members.push_back(make_scorer(model, source, search));
  return std::make_unique<EnsembleScorer>(std::move(members));
}

}  // namespace dragoman
