#include "dragoman/data/epoch_plan.h"

#include "dragoman/core/mix.h"
#include "dragoman/core/stop.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace dragoman {

namespace {

// Constants that keep the random draws of one epoch independent.
constexpr std::uint64_t visit_draw = 1;
constexpr std::uint64_t pair_draw = 2;

std::vector<CorpusShare> shares_or_all(std::vector<CorpusShare> shares, std::size_t size) {
  if (shares.empty()) shares.push_back({.end = size});
  return shares;
}

}  // namespace

EpochPlan::EpochPlan(const Examples& examples, const EpochOptions& options, std::int64_t epoch,
                     const std::stop_token& stop)
    : examples_(examples),
      options_(options),
      key_(mix(options.seed, static_cast<std::uint64_t>(epoch))) {
  options_.shares = shares_or_all(std::move(options_.shares), examples_.size());
  shuffle_visits();
  count_windows(stop);
  if (size() > 0 || examples_.size() == 0) return;
  plan_ = plan_batches(examples_, {nearest_pair()}, options_.limits, key_);
  ends_ = {static_cast<std::int64_t>(plan_.size())};
  planned_ = 0;
}

/// The pair that a slightly larger weight would have drawn.
std::uint32_t EpochPlan::nearest_pair() const {
  std::uint32_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  std::size_t begin = 0;
  for (const auto& share : options_.shares) {
    for (auto index = begin; index < std::min(share.end, examples_.size()); ++index)
      if (const auto missing = draw(index) - share.weight; missing < least) {
        least = missing;
        nearest = static_cast<std::uint32_t>(index);
      }
    begin = share.end;
  }
  return nearest;
}

/// Visits every stretch as often as the largest weight in it requires.
void EpochPlan::shuffle_visits() {
  std::size_t begin = 0;
  for (const auto& share : options_.shares) {
    const auto times = static_cast<std::uint32_t>(std::ceil(share.weight));
    if (begin < share.end)
      for (auto i = begin / options_.stretch; i <= (share.end - 1) / options_.stretch; ++i)
        for (std::uint32_t time = 0; time < times; ++time)
          visits_.push_back({static_cast<std::uint32_t>(i), time});
    begin = share.end;
  }
  // Corpora that share a stretch have both added it.
  std::sort(visits_.begin(), visits_.end());
  visits_.erase(std::unique(visits_.begin(), visits_.end()), visits_.end());
  std::mt19937_64 random(mix(key_, visit_draw));
  shuffle(visits_, random);
  for (std::size_t window = 0; window < windows(); ++window) {
    const auto at = [&](std::size_t number) {
      return visits_.begin() + static_cast<std::ptrdiff_t>(visits_.size() * number / windows());
    };
    std::sort(at(window), at(window + 1));
  }
}

std::size_t EpochPlan::windows() const {
  const auto visits = std::max<std::size_t>(1, options_.window / options_.stretch);
  return std::max<std::size_t>(1, (visits_.size() + visits - 1) / visits);
}

void EpochPlan::count_windows(const std::stop_token& stop) {
  plan(0);
  ends_.push_back(static_cast<std::int64_t>(plan_.size()));
  for (std::size_t window = 1; window < windows(); ++window) {
    expect_no_stop(stop);
    ends_.push_back(ends_.back() + count_batches(examples_, pairs_of(window), options_.limits));
    examples_.drop_pages();
  }
}

BatchIndices EpochPlan::pairs_of(std::size_t window) const {
  BatchIndices pairs;
  const auto begin = visits_.size() * window / windows();
  const auto end = visits_.size() * (window + 1) / windows();
  pairs.reserve((end - begin) * options_.stretch);
  for (auto i = begin; i < end; ++i) add_pairs(visits_[i], pairs);
  return pairs;
}

void EpochPlan::add_pairs(const Visit& visit, BatchIndices& pairs) const {
  const auto begin = visit.stretch * options_.stretch;
  const auto end = std::min(begin + options_.stretch, examples_.size());
  auto share = options_.shares.begin();
  for (auto index = begin; index < end; ++index) {
    while (share != options_.shares.end() && share->end <= index) ++share;
    if (share == options_.shares.end()) return;
    const double left = share->weight - visit.time;
    if (left >= 1.0 || (left > 0.0 && draw(index) < left))
      pairs.push_back(static_cast<std::uint32_t>(index));
  }
}

/// In [0, 1): below a share for that share of all pairs, different ones in each epoch.
double EpochPlan::draw(std::size_t index) const {
  return uniform(mix(mix(key_, pair_draw), index));
}

void EpochPlan::plan(std::size_t window) {
  examples_.expect_unchanged();
  // The first window uses the epoch's key: a small corpus is one window, whose order does not
  // depend on whether there could be more.
  plan_.clear();
  plan_ = plan_batches(examples_, pairs_of(window), options_.limits,
                       window == 0 ? key_ : mix(key_, window << 8));
  planned_ = window;
  examples_.drop_pages();
}

const BatchIndices& EpochPlan::batch(std::int64_t number) {
  const auto window = static_cast<std::size_t>(
      std::upper_bound(ends_.begin(), ends_.end(), number) - ends_.begin());
  if (window != planned_) plan(window);
  const auto first = window == 0 ? 0 : ends_[window - 1];
  return plan_[static_cast<std::size_t>(number - first)];
}

}  // namespace dragoman
