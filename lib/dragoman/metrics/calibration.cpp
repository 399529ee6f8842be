#include "dragoman/metrics/calibration.h"

#include "dragoman/core/error.h"

#include <algorithm>
#include <cmath>

namespace dragoman {

namespace {

double share(double part, std::int64_t of) { return of > 0 ? part / static_cast<double>(of) : 0.0; }

}  // namespace

Calibration::Calibration(std::size_t bins) : bins_(bins) {
  if (bins < 1) throw ContractError("calibration: needs at least one bin");
}

void Calibration::add(double confidence, bool right) {
  const auto bins = static_cast<double>(bins_.size());
  const double bin = std::clamp(std::ceil(confidence * bins) - 1.0, 0.0, bins - 1.0);
  auto& sum = bins_[static_cast<std::size_t>(bin)];
  ++sum.count;
  ++count_;
  sum.right += right ? 1 : 0;
  sum.confidence += confidence;
}

double Calibration::confidence() const {
  double total = 0.0;
  for (const auto& sum : bins_) total += sum.confidence;
  return share(total, count_);
}

double Calibration::accuracy() const {
  std::int64_t right = 0;
  for (const auto& sum : bins_) right += sum.right;
  return share(static_cast<double>(right), count_);
}

double Calibration::expected_error() const {
  double error = 0.0;
  for (const auto& sum : bins_) error += std::abs(static_cast<double>(sum.right) - sum.confidence);
  return share(error, count_);
}

std::vector<ReliabilityBin> Calibration::table() const {
  std::vector<ReliabilityBin> table;
  const auto width = 1.0 / static_cast<double>(bins_.size());
  for (std::size_t i = 0; i < bins_.size(); ++i)
    table.push_back({.from = width * static_cast<double>(i),
                     .to = width * static_cast<double>(i + 1),
                     .count = bins_[i].count,
                     .confidence = share(bins_[i].confidence, bins_[i].count),
                     .accuracy = share(static_cast<double>(bins_[i].right), bins_[i].count)});
  return table;
}

}  // namespace dragoman
