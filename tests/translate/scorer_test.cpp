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
  dragoman::score_parallel_text(opened, scorer, [&](const LinePair& pair, const PairScore& score) {
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
  CHECK_THROWS_AS(dragoman::score_parallel_text(
                      opened, scorer, [&](const LinePair&, const PairScore&) { ++taken; }),
                  DataError);
  CHECK(taken == 2050);
}

TEST_CASE("a text whose pairs all have a blank side is scored, but is none for training",
          "[unit]") {
  const test::TemporaryDirectory folder;
  const auto source = (folder / "source").string(), target = (folder / "target").string();
  std::ofstream(source) << "koru\n\n";
  std::ofstream(target) << "\nvedo\n";
  const auto read = [&](dragoman::BlankPairs blank) {
    ParallelText text(std::array{source}, std::array{target}, blank);
    while (text.next()) {
    }
    return text.pairs();
  };
  CHECK(read(dragoman::BlankPairs::allowed) == 2);
  CHECK_THROWS_AS(read(dragoman::BlankPairs::refused), DataError);
}

TEST_CASE("a pair that is longer than the model can read has a fault, the others their scores",
          "[unit]") {
  dragoman::ModelOptions options;
  options.position = dragoman::Position::learned;
  options.max_positions = 12;
  const dragoman::InferenceModels models = {
      dragoman::inference_model(test::random_translation_model(1, options))};
  const auto vocabulary = test::joint_vocabulary();
  std::string longer;
  for (int i = 0; i < 20; ++i) longer += "koru ";
  const std::vector<LinePair> pairs = {
      {"koru", "vedo"}, {longer, "vedo"}, {"koru", longer}, {"vedo", "koru"}};
  const auto scores = PairScorer(models, vocabulary).score(pairs);
  REQUIRE(scores.size() == 4);
  CHECK_THAT(scores[1].fault,
             test::contains("the source has ") && test::contains("the model can read only 12"));
  CHECK_THAT(scores[2].fault, test::contains("the target has "));
  CHECK(scores[1].pieces.empty());
  for (const std::size_t i : {0U, 3U}) {
    CHECK(scores[i].fault.empty());
    const auto alone = dragoman::score_pairs(models, vocabulary, std::span(&pairs[i], 1));
    CHECK(std::abs(scores[i].log_prob - alone.front().log_prob) < 1e-6);
  }
  CHECK_THROWS_WITH(dragoman::score_pairs(models, vocabulary, pairs),
                    test::contains("pair 2: the source has "));
}

}  // namespace scorer_test
