#include "dragoman/translate/scorer.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/temporary_directory.h"
#include "translate/small_translation.h"

#include <array>
#include <cmath>
#include <fstream>

namespace scorer_test {

namespace {

using dragoman::DataError;
using dragoman::LinePair;
using dragoman::PairScore;
using dragoman::PairScorer;
using dragoman::ParallelText;

/// A text of several parts that are scored at once, each line with a number of its own.
struct LongText {
  test::TemporaryDirectory folder;
  std::string source = (folder / "source").string(), target = (folder / "target").string();
  std::vector<LinePair> pairs;

  explicit LongText(std::size_t lines, std::size_t targets) {
    const auto texts = test::synthetic_lines(30);
    std::ofstream sources(source), of_target(target);
    for (std::size_t i = 0; i < lines; ++i) {
      pairs.push_back({texts[i % texts.size()], texts[i * 7 % texts.size()]});
      sources << pairs.back().source << '\n';
      if (i < targets) of_target << pairs.back().target << '\n';
    }
  }

  ParallelText open() const { return ParallelText(std::array{source}, std::array{target}); }
};

}  // namespace

TEST_CASE("a text is scored in its order, whatever part is done first", "[unit]") {
  const LongText text(4321, 4321);
  const dragoman::InferenceModels models = {
      dragoman::inference_model(test::random_translation_model(1))};
  const auto vocabulary = test::joint_vocabulary();
  const auto expected = dragoman::score_pairs(models, vocabulary, text.pairs, {.workers = 1});
  PairScorer scorer(models, vocabulary, {.workers = 3});
  std::size_t taken = 0, different = 0;
  auto opened = text.open();
  dragoman::score_text(opened, scorer, [&](const LinePair& pair, const PairScore& score) {
    const auto& wanted = text.pairs.at(taken);
    different += pair.source != wanted.source || pair.target != wanted.target ||
                 std::abs(score.log_prob - expected[taken].log_prob) > 1e-4;
    ++taken;
  });
  CHECK(taken == text.pairs.size());
  CHECK(different == 0);
}

TEST_CASE("a fault in a text is told after the pairs before it are scored", "[unit]") {
  const LongText text(2100, 2050);
  const dragoman::InferenceModels models = {
      dragoman::inference_model(test::random_translation_model(1))};
  const auto vocabulary = test::joint_vocabulary();
  PairScorer scorer(models, vocabulary);
  std::size_t taken = 0;
  auto opened = text.open();
  CHECK_THROWS_AS(
      dragoman::score_text(opened, scorer, [&](const LinePair&, const PairScore&) { ++taken; }),
      DataError);
  CHECK(taken == 2050);
}

}  // namespace scorer_test
