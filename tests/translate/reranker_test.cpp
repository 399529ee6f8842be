#include "dragoman/translate/reranker.h"

#include "dragoman/core/error.h"
#include "dragoman/search/length_penalty.h"
#include "support/catch.h"
#include "support/log_taken.h"
#include "translate/small_translation.h"

#include <limits>
#include <memory>
#include <utility>

namespace reranker_test {

namespace {

using dragoman::inference_model;
using dragoman::LineTranslator;
using dragoman::Reranker;
using dragoman::RerankWeights;
using dragoman::SearchOptions;
using dragoman::TextLogProb;

/// Says that texts are the more probable, the more of their letters are o.
std::vector<TextLogProb> scores_of_o(std::span<const std::string> texts) {
  std::vector<TextLogProb> scores;
  for (const auto& text : texts)
    scores.push_back({.log_prob = static_cast<double>(std::ranges::count(text, 'o')) - 50.0,
                      .pieces = std::ssize(text) + 1});
  return scores;
}

LineTranslator translator(const SearchOptions& search, std::shared_ptr<const Reranker> reranker,
                          std::int64_t max_source_length = 64) {
  return {{inference_model(test::random_translation_model(1), search)},
          test::joint_vocabulary(),
          search,
          {.workers = 2, .max_source_length = max_source_length, .reranker = std::move(reranker)}};
}

SearchOptions search_of(std::int64_t n_best) {
  SearchOptions search;
  search.beam_size = 30;
  search.n_best = n_best;
  search.max_length = 10;
  return search;
}

}  // namespace

TEST_CASE("a reranker divides each term by the length penalty of what it is the probability of",
          "[unit]") {
  const dragoman::InferenceModels models{inference_model(test::random_translation_model(3))};
  const auto vocabulary = test::joint_vocabulary();
  const std::vector<dragoman::RerankedText> texts{
      {.source = "baten koru", .candidates = {"lamis vedo shimu", "", "tegal"}},
      {.source = "", .candidates = {}},
      {.source = "ruzo", .candidates = {"oralu fenik"}}};
  const Reranker reranker(dragoman::ReverseModel{models, vocabulary}, scores_of_o,
                          {.reverse = 0.7, .language_model = 0.2});
  auto search = SearchOptions{};
  search.length_penalty_kind = dragoman::LengthPenaltyKind::power;
  search.length_penalty = 0.9;
  const auto found = reranker.score(texts, search);
  REQUIRE(found.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    REQUIRE(found[i].size() == texts[i].candidates.size());
    for (std::size_t k = 0; k < found[i].size(); ++k) {
      const auto& candidate = texts[i].candidates[k];
      const std::vector<dragoman::LinePair> pair{{candidate, texts[i].source}};
      const auto reverse = dragoman::score_pairs(models, vocabulary, pair).front();
      const auto own = scores_of_o(std::span(&candidate, 1)).front();
      CHECK(found[i][k].reverse_log_prob.value() == test::Approx(reverse.log_prob));
      CHECK(found[i][k].lm_log_prob.value() == own.log_prob);
      const auto source_length = std::ssize(vocabulary.target.encode(texts[i].source)) + 1;
      CHECK(found[i][k].added ==
            test::Approx(0.7 * reverse.log_prob / dragoman::length_penalty(search, source_length) +
                         0.2 * own.log_prob / dragoman::length_penalty(search, own.pieces)));
    }
  }
}

TEST_CASE("candidates that are too long for the reverse model come last, with a warning",
          "[unit]") {
  dragoman::ModelOptions short_options;
  short_options.position = dragoman::Position::learned;
  short_options.max_positions = 8;
  const dragoman::InferenceModels models{
      inference_model(test::random_translation_model(3, short_options))};
  const Reranker reranker(dragoman::ReverseModel{models, test::joint_vocabulary()}, {});
  const std::string longer = "baten koru lamis vedo plonar shimu tegal ruzo fenik oralu";
  SearchOptions search;
  search.length_penalty = 0.0;
  const test::LogTaken log;
  const auto found = reranker.score(
      std::vector<dragoman::RerankedText>{{.source = "ruzo", .candidates = {longer, "koru"}},
                                          {.source = longer, .candidates = {"koru", "ruzo"}}},
      search);
  CHECK(found[0][0].unscored);
  CHECK(found[0][0].added == 0.0);
  CHECK_FALSE(found[0][0].reverse_log_prob.has_value());
  CHECK_FALSE(found[0][1].unscored);
  CHECK(found[0][1].added == found[0][1].reverse_log_prob.value_or(0.0));
  for (const auto& score : found[1]) {
    CHECK(score.added == 0.0);
    CHECK_FALSE(score.unscored);
    CHECK_FALSE(score.reverse_log_prob.has_value());
  }
  REQUIRE(log.messages.size() == 2);
  CHECK_THAT(log.messages[0], test::contains("which rank behind the others: the source has"));
  CHECK_THAT(log.messages[1], test::contains("so it has no say: the target has"));
}

TEST_CASE("a translation is the hypothesis of the beam with the best sum", "[property]") {
  const auto lines = test::synthetic_lines(20);
  const auto all = translator(search_of(30), {}).translate(lines);
  const auto reranker = std::make_shared<const Reranker>(std::nullopt, scores_of_o,
                                                         RerankWeights{.language_model = 2.0});
  const auto chosen = translator(search_of(1), reranker).translate(lines);
  std::size_t changed = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const dragoman::Alternative* best = nullptr;
    std::pair<bool, double> best_rank;  // finished ones stand before others
    for (const auto& one : all[i].n_best) {
      const auto own = scores_of_o(std::span(&one.text, 1)).front();
      const double score =
          one.score + 2.0 * own.log_prob / dragoman::length_penalty(search_of(1), own.pieces);
      const std::pair rank{std::ssize(one.pieces) < search_of(1).max_length, score};
      if (best != nullptr && rank <= best_rank) continue;
      best = &one;
      best_rank = rank;
    }
    REQUIRE(best != nullptr);
    REQUIRE(chosen[i].n_best.size() == 1);
    CHECK(chosen[i].text() == best->text);
    CHECK(chosen[i].n_best[0].score == test::Approx(best_rank.second));
    CHECK(chosen[i].n_best[0].pieces == best->pieces);
    CHECK(chosen[i].n_best[0].lm_log_prob.has_value());
    CHECK_FALSE(chosen[i].n_best[0].reverse_log_prob.has_value());
    changed += best != &all[i].n_best.front() ? 1 : 0;
  }
  CHECK(changed > 0);
}

TEST_CASE("each sentence of a line that is split is reranked by itself", "[property]") {
  const std::vector<std::string> line{"baten koru. Lamis vedo. Plonar shimu."},
      sentences{"baten koru.", "Lamis vedo.", "Plonar shimu."};
  const auto reranker = std::make_shared<const Reranker>(std::nullopt, scores_of_o,
                                                         RerankWeights{.language_model = 3.0});
  const auto found = translator(search_of(2), reranker, 8).translate(line)[0];
  const auto alone = translator(search_of(2), reranker, 8).translate(sentences);
  REQUIRE(found.split);
  std::string text;
  double score = 0.0, lm = 0.0;
  for (const auto& part : alone) {
    text += (text.empty() || part.text().empty() ? "" : " ") + part.text();
    score += part.n_best[0].score;
    lm += part.n_best[0].lm_log_prob.value();
  }
  CHECK(found.text() == text);
  CHECK(found.n_best[0].score == test::Approx(score));
  CHECK(found.n_best[0].lm_log_prob.value() == test::Approx(lm));
}

TEST_CASE("a reverse model is asked for the part of a sentence that was read", "[unit]") {
  const std::string line = "baten koru lamis vedo plonar shimu tegal ruzo fenik oralu";
  const dragoman::InferenceModels models{inference_model(test::random_translation_model(3))};
  const auto vocabulary = test::joint_vocabulary();
  const auto reranker = std::make_shared<const Reranker>(dragoman::ReverseModel{models, vocabulary},
                                                         dragoman::LanguageModelScores{});
  const auto found =
      translator(search_of(1), reranker, 6).translate(std::vector<std::string>{line})[0];
  REQUIRE(found.cut);
  const auto read = vocabulary.source.decode(found.source_pieces);
  REQUIRE(line.starts_with(read));
  const std::vector<dragoman::LinePair> pair{{found.text(), read}};
  CHECK(found.n_best[0].reverse_log_prob.value() ==
        test::Approx(dragoman::score_pairs(models, vocabulary, pair).front().log_prob));
}

TEST_CASE("a reranker needs a beam, models, and weights that are numbers of at least 0", "[unit]") {
  const auto reranker = std::make_shared<const Reranker>(std::nullopt, scores_of_o);
  const auto refuse = [&](const SearchOptions& search, const char* message) {
    CHECK_THROWS_WITH(translator(search, reranker), test::contains(message));
  };
  auto search = SearchOptions{};
  search.beam_size = 1;
  refuse(search, "search.beam_size is 1");
  search = {};
  search.greedy = true;
  refuse(search, "search.greedy is true");
  search = {};
  search.sample = true;
  refuse(search, "search.sample is true");
  CHECK_THROWS_AS(Reranker(std::nullopt, {}), dragoman::ContractError);
  for (const double weight : {-1.0, std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(Reranker(std::nullopt, scores_of_o, {.language_model = weight}),
                    dragoman::OptionsError);
}

TEST_CASE("a request to stop ends a reranking", "[unit]") {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<dragoman::RerankedText> texts{{.source = "a", .candidates = {"b"}}};
  CHECK_THROWS_AS(Reranker(std::nullopt, scores_of_o).score(texts, {}, stop.get_token()),
                  dragoman::Cancelled);
}

}  // namespace reranker_test
