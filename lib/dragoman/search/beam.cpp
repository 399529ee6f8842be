#include "dragoman/search/beam.h"

#include "dragoman/core/error.h"
#include "dragoman/search/length_penalty.h"

#include <algorithm>
#include <functional>

namespace dragoman {

Beam::Beam(const SearchOptions& options, std::int64_t max_length, std::int64_t eos)
    : options_(options), max_length_(max_length), eos_(eos), live_(1) {}

void Beam::advance(std::span<const Extension> extensions) {
  ++length_;
  const double penalty = length_penalty(options_, length_);
  std::vector<Live> next;
  next.reserve(static_cast<std::size_t>(options_.beam_size));
  std::int64_t rank = 0;
  for (const auto& [parent, token, log_prob, coverage] : extensions) {
    const bool is_last = options_.strict_beam && length_ == max_length_;
    const bool ends = token == eos_ || is_last;
    const bool may_end = !options_.strict_beam || rank < options_.beam_size;
    ++rank;
    if (ends && !may_end) continue;
    if (!ends && std::ssize(next) == options_.beam_size) continue;
    auto ids = live_[static_cast<std::size_t>(parent)].ids;
    ids.push_back(static_cast<std::int32_t>(token));
    if (ends)
      finished_.push_back({std::move(ids), log_prob, log_prob / penalty + coverage, token == eos_});
    else
      next.push_back({std::move(ids), log_prob, parent, coverage});
  }
  live_ = std::move(next);
  std::ranges::stable_sort(finished_, std::greater<>(), &Hypothesis::score);
  if (!options_.strict_beam) drop_hopeless();
  if (stops_early(extensions)) live_.clear();
}

bool Beam::stops_early(std::span<const Extension> extensions) const {
  if (options_.ends_at_first_eos()) return !finished_.empty();
  switch (options_.early_stopping) {
    case EarlyStopping::off:
      return options_.strict_beam && none_can_enter(std::max(length_ + 1, max_length_));
    case EarlyStopping::estimate: return none_can_enter(length_);
    case EarlyStopping::beam: return std::ssize(finished_) >= options_.beam_size;
    case EarlyStopping::first:
      return std::ssize(finished_) >= options_.n_best && !extensions.empty() &&
             extensions.front().token == eos_;
  }
  throw ContractError("Beam: early_stopping is none of its values");
}

bool Beam::none_can_enter(std::int64_t length) const {
  if (std::ssize(finished_) < options_.beam_size || live_.empty()) return false;
  const double worst = finished_[static_cast<std::size_t>(options_.beam_size) - 1].score;
  const double penalty =
      std::max(length_penalty(options_, length_), length_penalty(options_, length));
  return live_.front().log_prob / penalty <= worst;
}

void Beam::drop_hopeless() {
  if (std::ssize(finished_) < options_.n_best) return;
  const double to_exceed = finished_[static_cast<std::size_t>(options_.n_best) - 1].score;
  // Log-probabilities only decrease, so the upper bound for a hypothesis is its present
  // log-probability under the most generous length penalty ahead, with the whole source covered.
  const double penalty =
      std::max(length_penalty(options_, length_ + 1), length_penalty(options_, max_length_));
  std::erase_if(live_, [&](const Live& live) { return live.log_prob / penalty <= to_exceed; });
}

bool Beam::done() const { return live_.empty() || length_ >= max_length_; }

std::vector<Hypothesis> Beam::result() const {
  auto best = found();
  best.resize(std::min(best.size(), static_cast<std::size_t>(options_.n_best)));
  return best;
}

std::vector<Hypothesis> Beam::found() const {
  auto best = finished_;
  const double penalty = length_penalty(options_, max_length_);
  for (const auto& [ids, log_prob, parent, coverage] : live_)
    best.push_back({ids, log_prob, log_prob / penalty + coverage, false});
  const auto first_live = best.begin() + std::ssize(finished_);
  std::ranges::stable_sort(first_live, best.end(), std::greater<>(), &Hypothesis::score);
  return best;
}

}  // namespace dragoman
