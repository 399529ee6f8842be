#pragma once

#include "convert/foreign_case.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

namespace test {

/// ln P over all tokens but the banned ones, of one row of logits. \param banned ids, left out
inline std::vector<double> log_softmax(std::vector<double> logits, const Ids& banned) {
  for (const auto id : banned)
    logits.at(static_cast<std::size_t>(id)) = -std::numeric_limits<double>::infinity();
  const auto largest = *std::ranges::max_element(logits);
  double sum = 0.0;
  for (const auto logit : logits) sum += std::exp(logit - largest);
  for (auto& logit : logits) logit -= largest + std::log(sum);
  return logits;
}

/// The logits of each step of a search that writes `target`: [target_len, vocab_size].
inline std::vector<std::vector<double>> step_logits(dragoman::InferenceWorker& worker,
                                                    const Ids& source, const Ids& target,
                                                    std::int64_t bos) {
  const std::span<const std::int32_t> view(source);
  const auto scorer = worker.start({&view, 1}, {});
  std::vector<std::vector<double>> steps;
  std::int64_t last = bos;
  for (const auto token : target) {
    scorer->advance({&last, 1});
    std::visit(
        [&steps](const auto& logits) {
          const auto row = logits.row(0);
          steps.emplace_back(row.begin(), row.end());
        },
        scorer->logits(0, 1));
    last = token;
  }
  return steps;
}

/// Compares log-probabilities with those of another implementation, step by step.
inline void check_steps(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    CAPTURE(t);
    CHECK(found[t] == test::Approx(expected[t]).margin(foreign_tolerance).epsilon(0));
  }
}

}  // namespace test
