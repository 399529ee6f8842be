#include "dragoman/train/loss_tally.h"

#include <torch/types.h>

namespace dragoman {

void PassSums::add(const PassSums& other) {
  loss += other.loss;
  nll += other.nll;
  correct += other.correct;
  tokens += other.tokens;
}

void LossTally::add(const Loss& loss) {
  known_.add({loss.sum.item<double>(), loss.nll, loss.correct, loss.tokens});
}

void LossTally::add(const DeviceLoss& loss) {
  on_device_ = on_device_.defined() ? on_device_ + loss.sums : loss.sums;
  known_.tokens += loss.tokens;
}

PassSums LossTally::sums() const {
  if (!on_device_.defined()) return known_;
  const auto host = on_device_.cpu();
  const auto* numbers = host.const_data_ptr<double>();
  auto total = known_;
  total.add({numbers[0], numbers[1], static_cast<std::int64_t>(numbers[2]), 0});
  return total;
}

}  // namespace dragoman
