#include "dragoman/experiment/results.h"

#include "dragoman/experiment/measures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace dragoman {

std::vector<const Trial*> ExperimentResult::of_variant(const std::string& variant) const {
  std::vector<const Trial*> found;
  for (const auto& trial : trials)
    if (trial.variant == variant && trial.record.failure.empty()) found.push_back(&trial);
  return found;
}

Divergence ExperimentResult::divergence(const std::string& variant) const {
  Divergence found;
  for (const auto& trial : trials)
    if (trial.variant == variant) {
      ++found.trained;
      if (!trial.record.failure.empty()) ++found.diverged;
    }
  return found;
}

bool ExperimentResult::has_times(const std::string& variant) const {
  std::map<std::string, int> taken;
  for (const auto& trial : trials)
    if (!trial.record.device.empty() && trial.record.device != "cpu") ++taken[trial.record.device];
  if (taken.empty()) return false;
  const auto& machine =
      std::ranges::max_element(taken, {}, [](const auto& entry) { return entry.second; })->first;
  return std::ranges::all_of(of_variant(variant),
                             [&](const auto* trial) { return trial->record.device == machine; });
}

Sample ExperimentResult::sample(const std::string& variant, const std::string& measure) const {
  std::vector<double> values;
  for (const auto* trial : of_variant(variant)) {
    const auto found = trial->record.values.find(measure);
    if (found != trial->record.values.end() && std::isfinite(found->second))
      values.push_back(found->second);
  }
  return sample_of(values);
}

Sample ExperimentResult::shown_sample(const std::string& variant,
                                      const std::string& measure) const {
  const bool is_time = measure_named(measure).error == ErrorSource::timing;
  return is_time && !has_times(variant) ? Sample() : sample(variant, measure);
}

Replicates ExperimentResult::replicates(const std::string& variant,
                                        const std::string& measure) const {
  const auto finished = of_variant(variant);
  std::vector<double> means(jackknife_groups, 0.0);
  std::size_t measured = 0, complete = 0;
  for (const auto* trial : finished) {
    const auto found = trial->record.jackknife.find(measure);
    if (found == trial->record.jackknife.end()) continue;
    ++measured;
    if (found->second.size() != means.size()) continue;
    ++complete;
    for (std::size_t i = 0; i < means.size(); ++i)
      means[i] += found->second[i] / static_cast<double>(finished.size());
  }
  using enum Replicates::State;
  if (measured == 0) return {.state = none};
  if (measured < finished.size()) return {.state = of_some};
  if (complete < finished.size()) return {.state = few_lines};
  return {.state = of_all, .means = std::move(means)};
}

std::int64_t ExperimentResult::lines_of(const std::string& variant,
                                        const std::string& measure) const {
  for (const auto* trial : of_variant(variant)) {
    const auto& answers = trial->record.answers;
    if (answers.empty()) continue;
    if (measure == "answers_shortest") return answers.front().lines;
    if (measure == "answers_longest") return answers.back().lines;
    std::int64_t lines = 0;
    for (const auto& each : answers) lines += each.lines;
    return lines;
  }
  return 0;
}

bool ExperimentResult::has_replicates() const {
  return std::ranges::any_of(trials,
                             [](const Trial& trial) { return !trial.record.jackknife.empty(); });
}

}  // namespace dragoman
