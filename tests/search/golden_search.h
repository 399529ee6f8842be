#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/search/hypothesis.h"
#include "dragoman/text/special_ids.h"

#include "support/golden.h"

#include <cstdint>
#include <vector>

namespace test {

/// The special ids that a golden search states.
inline dragoman::SpecialIds special_ids(const nlohmann::json& params) {
  return {.pad = params.at("pad"),
          .unk = params.at("unk"),
          .bos = params.at("bos"),
          .eos = params.at("eos")};
}

/// The options of one run of the golden searches, which may write UNK; all hypotheses of the beam
/// are returned.
inline dragoman::SearchOptions search_options(const nlohmann::json& run) {
  dragoman::SearchOptions options;
  options.beam_size = options.n_best = run.at("beam").get<std::int64_t>();
  options.unknown = dragoman::UnknownRule::keep;
  options.length_penalty = run.at("alpha").get<double>();
  options.length_penalty_kind = run.at("penalty").get<dragoman::LengthPenaltyKind>();
  return options;
}

/// Compares a result with a run's "nbest".
inline void check_n_best(const std::vector<dragoman::Hypothesis>& found,
                         const nlohmann::json& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i].ids == expected[i].at("tokens").get<std::vector<std::int32_t>>());
    CHECK(found[i].log_prob ==
          Approx(expected[i].at("log_prob").get<double>()).epsilon(tolerance).margin(tolerance));
    CHECK(found[i].score ==
          Approx(expected[i].at("score").get<double>()).epsilon(tolerance).margin(tolerance));
    CHECK(found[i].finished == expected[i].at("finished").get<bool>());
  }
}

}  // namespace test
