#include "dragoman/corpus/pair_sample.h"

#include <algorithm>
#include <utility>

namespace dragoman {

void PairSample::add(std::size_t file, const LinePair& pair) {
  const auto number = seen_++;
  if (drawn_.size() < most_) {
    drawn_.push_back({pair, file, number});
    return;
  }
  const auto place = random_() % static_cast<std::uint64_t>(seen_);
  if (place < most_) drawn_[place] = {pair, file, number};
}

std::vector<PairSample::Drawn> PairSample::take() && {
  std::sort(drawn_.begin(), drawn_.end(),
            [](const Drawn& a, const Drawn& b) { return a.number < b.number; });
  return std::move(drawn_);
}

}  // namespace dragoman
