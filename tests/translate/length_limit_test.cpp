#include "dragoman/core/error.h"
#include "dragoman/model/generator.h"

#include "support/catch.h"
#include "translate/small_translation.h"

namespace length_limit_test {

using dragoman::inference_model;
using dragoman::LineTranslator;
using dragoman::SearchOptions;

namespace {

/// A model with a constant added to the logit of EOS.
dragoman::Transformer model_that_ends(double bias) {
  dragoman::ModelOptions options;
  options.output_bias = true;
  auto model = test::random_translation_model(3, options);
  const torch::NoGradGuard no_gradient;
  torch::Tensor(model->generator()->bias())[test::joint_vocabulary().target.special().eos] += bias;
  return model;
}

std::vector<dragoman::Translation> translated(double bias, const SearchOptions& search,
                                              const std::vector<std::string>& lines) {
  const LineTranslator translator({inference_model(model_that_ends(bias), search)},
                                  test::joint_vocabulary(), search);
  return translator.translate(lines);
}

std::int64_t source_length(const std::string& line) {
  return static_cast<std::int64_t>(test::joint_vocabulary().source.encode(line).size()) + 1;
}

/// Every kind of search with several results.
std::vector<SearchOptions> searches() {
  SearchOptions beam{.beam_size = 4, .n_best = 4}, greedy{}, samples{.n_best = 4};
  greedy.greedy = true;
  samples.sample = true;
  return {beam, greedy, samples};
}

}  // namespace

TEST_CASE("a translation has at most 50 pieces more than its source, EOS of both counted",
          "[property]") {
  const std::vector<std::string> lines = {"koru", "baten tegal shimu", "lamis ruzo fenik! oralu"};
  for (const auto& search : searches()) {
    CAPTURE(search.greedy, search.sample);
    const auto translations = translated(-40.0, search, lines);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      CAPTURE(lines[i]);
      CHECK(translations[i].truncated);
      for (const auto& one : translations[i].n_best) {
        CHECK(one.truncated);
        CHECK(std::ssize(one.pieces) == source_length(lines[i]) + 50);
      }
    }
  }
  auto shorter = searches().front();
  shorter.max_length_offset = 3;
  const auto translations = translated(-40.0, shorter, {lines[1]});
  for (const auto& one : translations.front().n_best)
    CHECK(std::ssize(one.pieces) == source_length(lines[1]) + 3);
}

TEST_CASE("each hypothesis says whether the limit stopped it", "[property]") {
  const auto lines = test::synthetic_lines(12);
  for (auto search : searches()) {
    search.max_length = 4;
    CAPTURE(search.greedy, search.sample);
    std::size_t stopped = 0, ended = 0;
    for (const double bias : {0.0, 2.5, 6.0})
      for (const auto& translation : translated(bias, search, lines)) {
        CHECK(translation.truncated == translation.n_best.front().truncated);
        for (const auto& one : translation.n_best) {
          // EOS takes one of the four places of a hypothesis that ended.
          CHECK(one.truncated == (one.pieces.size() == 4));
          CHECK(one.pieces.size() <= 4);
          ++(one.truncated ? stopped : ended);
        }
      }
    CHECK(stopped > 0);
    CHECK(ended > 0);
  }
}

TEST_CASE("a line that was split is stopped by the limit if any of its sentences is", "[unit]") {
  const SearchOptions search{.max_length = 3};
  const auto vocabulary = test::joint_vocabulary();
  const std::string line = "baten koru. Lamis vedo. Plonar shimu.";
  const LineTranslator translator({inference_model(model_that_ends(-40.0), search)}, vocabulary,
                                  search, {.max_source_length = 8});
  const auto translation = translator.translate(std::vector{line}).front();
  REQUIRE(translation.split);
  CHECK(translation.n_best.front().truncated);
  CHECK(translation.n_best.front().pieces.size() == 3 * 3);
}

TEST_CASE("a line longer than a model's positions or columns is cut to what it reads", "[unit]") {
  dragoman::ModelOptions learned, low_rank;
  learned.position = dragoman::Position::learned;
  learned.max_positions = 16;
  learned.position_offset = 6;
  low_rank.encoder_attention.layers = {
      {.common = {.kind = dragoman::AttentionKind::low_rank, .rank = 4, .max_length = 10},
       .heads = {}}};
  std::string line;
  for (int i = 0; i < 40; ++i) line += "koru ";
  for (const auto& options : {learned, low_rank}) {
    SearchOptions search;
    search.max_length = 30;
    const LineTranslator translator({inference_model(test::random_translation_model(3, options))},
                                    test::joint_vocabulary(), search);
    const auto found = translator.translate(std::vector{line})[0];
    CHECK((found.split || found.cut));
  }
}

TEST_CASE("sinusoidal positions read a line of any length whole", "[unit]") {
  std::string line;
  for (int i = 0; i < 1500; ++i) line += "koru ";
  SearchOptions search;
  search.max_length = 20;
  const LineTranslator translator({inference_model(test::random_translation_model(3))},
                                  test::joint_vocabulary(), search, {.max_source_length = 65536});
  const auto found = translator.translate(std::vector{line})[0];
  CHECK(source_length(line) > 1500);
  CHECK_FALSE((found.split || found.cut));
  CHECK(std::isfinite(found.n_best.front().log_prob));
}

TEST_CASE("a prefix that learned positions cannot hold is refused by line", "[unit]") {
  dragoman::ModelOptions options;
  options.position = dragoman::Position::learned;
  options.max_positions = 8;
  const LineTranslator translator({inference_model(test::random_translation_model(3, options))},
                                  test::joint_vocabulary(), {});
  const std::vector<std::string> lines{"koru", "vedo"},
      prefixes{"", "baten koru lamis vedo plonar shimu tegal ruzo"};
  CHECK_THROWS_WITH(translator.translate(lines, {.prefixes = prefixes, .first_line = 40}),
                    test::contains("target prefix: line 42: has ") && test::contains("at most 8"));
  CHECK_THROWS_AS(
      translator.translate(lines, {.prefixes = std::span(prefixes).first(1), .first_line = 0}),
      dragoman::ContractError);
}

}  // namespace length_limit_test
