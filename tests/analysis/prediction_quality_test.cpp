#include "dragoman/analysis/prediction_quality.h"

#include "analysis/small_run.h"
#include "dragoman/analysis/pair_batches.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/translate/scorer.h"

namespace prediction_quality_test {

using namespace dragoman;

namespace {

std::vector<LinePair> synthetic_pairs() {
  const auto lines = test::synthetic_lines(12);
  std::vector<LinePair> pairs;
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) pairs.push_back({lines[i], lines[i + 1]});
  return pairs;
}

}  // namespace

TEST_CASE("the loss per piece equals that of scoring the pairs", "[property]") {
  const auto run = test::small_run();
  const auto pairs = synthetic_pairs();
  double nll = 0.0;
  std::int64_t pieces = 0;
  for (const auto& score :
       score_pairs({dragoman::inference_model(run.model)}, run.vocabulary, pairs)) {
    nll -= score.log_prob;
    pieces += std::ssize(score.pieces);
  }
  const auto quality = prediction_quality(run.model, pair_batches(run.vocabulary, pairs));
  CHECK(quality.calibration.count() == pieces);
  CHECK(quality.nll == test::Approx(nll / static_cast<double>(pieces)).epsilon(1e-5));
}

TEST_CASE("padding changes neither loss nor calibration", "[property]") {
  const auto run = test::small_run();
  const auto pairs = synthetic_pairs();
  const auto together = prediction_quality(run.model, pair_batches(run.vocabulary, pairs, 4096));
  const auto alone = prediction_quality(run.model, pair_batches(run.vocabulary, pairs, 1));
  CHECK(together.nll == test::Approx(alone.nll).epsilon(1e-5));
  CHECK(together.calibration.accuracy() == alone.calibration.accuracy());
  CHECK(together.calibration.confidence() ==
        test::Approx(alone.calibration.confidence()).epsilon(1e-5));
}

TEST_CASE("confidence is the probability of the best piece, at least chance level", "[property]") {
  const auto run = test::small_run();
  const auto quality =
      prediction_quality(run.model, pair_batches(run.vocabulary, synthetic_pairs()));
  CHECK(quality.calibration.confidence() >
        1.0 / static_cast<double>(run.vocabulary.target.vocab_size()));
  CHECK(quality.calibration.confidence() <= 1.0);
}

}  // namespace prediction_quality_test
