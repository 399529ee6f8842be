#include "dragoman/search/beams.h"

#include "dragoman/search/length_penalty.h"

#include <algorithm>
#include <functional>

namespace dragoman {

Beams::Beams(const SearchOptions& options, std::int64_t max_length, std::int64_t eos)
    : options_(options), max_length_(max_length), eos_(eos), live_(1) {}

void Beams::advance(std::span<const Extension> extensions) {
  ++length_;
  const double penalty = length_penalty(options_, length_);
  std::vector<Live> next;
  next.reserve(static_cast<std::size_t>(options_.beam_size));
  for (const auto& [beam, token, log_prob, coverage] : extensions) {
    const bool ends = token == eos_;
    if (!ends && std::ssize(next) == options_.beam_size) continue;
    auto ids = live_[static_cast<std::size_t>(beam)].ids;
    ids.push_back(static_cast<std::int32_t>(token));
    if (ends)
      finished_.push_back({std::move(ids), log_prob, log_prob / penalty + coverage, true});
    else
      next.push_back({std::move(ids), log_prob, beam, coverage});
  }
  live_ = std::move(next);
  std::ranges::stable_sort(finished_, std::greater<>(), &Hypothesis::score);
  drop_hopeless();
}

void Beams::drop_hopeless() {
  if (std::ssize(finished_) < options_.n_best) return;
  const double to_exceed = finished_[static_cast<std::size_t>(options_.n_best) - 1].score;
  // Log-probabilities only decrease, so the upper bound for a hypothesis is its present
  // log-probability under the most generous length penalty ahead, with the whole source covered.
  const double penalty =
      std::max(length_penalty(options_, length_ + 1), length_penalty(options_, max_length_));
  std::erase_if(live_, [&](const Live& live) { return live.log_prob / penalty <= to_exceed; });
}

bool Beams::done() const { return live_.empty() || length_ >= max_length_; }

std::vector<Hypothesis> Beams::result() const {
  auto best = found();
  best.resize(std::min(best.size(), static_cast<std::size_t>(options_.n_best)));
  return best;
}

std::vector<Hypothesis> Beams::found() const {
  auto best = finished_;
  const double penalty = length_penalty(options_, max_length_);
  for (const auto& [ids, log_prob, parent, coverage] : live_)
    best.push_back({ids, log_prob, log_prob / penalty + coverage, false});
  const auto first_live = best.begin() + std::ssize(finished_);
  std::ranges::stable_sort(first_live, best.end(), std::greater<>(), &Hypothesis::score);
  return best;
}

}  // namespace dragoman
