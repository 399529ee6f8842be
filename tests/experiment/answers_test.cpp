#include "dragoman/experiment/answers.h"

#include "dragoman/core/error.h"
#include "dragoman/experiment/statistics.h"
#include "support/catch.h"

namespace answers_test {

using namespace dragoman;

namespace {

/// Lines of five lengths in turn, as in a task's test text.
std::vector<Answer> lengths_in_turn(std::int64_t lines) {
  std::vector<Answer> answers;
  for (std::int64_t i = 0; i < lines; ++i) answers.push_back({.length = 4 + i % 5});
  return answers;
}

}  // namespace

TEST_CASE("answers are counted overall, by length, and for the shortest and longest", "[unit]") {
  auto answers = lengths_in_turn(10);
  answers[4].right = answers[5].right = answers[0].right = true;
  const auto record = record_of_answers(answers);
  CHECK(record.values.at("answers") == test::Approx(0.3));
  CHECK(record.values.at("answers_shortest") == test::Approx(1.0));
  CHECK(record.values.at("answers_longest") == test::Approx(0.5));
  REQUIRE(record.answers.size() == 5);
  CHECK(record.answers[4].length == 8);
  CHECK(record.answers[4].lines == 2);
  CHECK(record.jackknife.at("answers").empty());  // fewer lines than groups
  CHECK_THROWS_AS(record_of_answers({}), ContractError);
}

TEST_CASE("a task's lengths, which are given, have no share in the error of its answers",
          "[unit]") {
  auto answers = lengths_in_turn(300);
  for (auto& answer : answers) answer.right = answer.length < 6;
  const auto record = record_of_answers(answers);
  CHECK(record.values.at("answers") == test::Approx(0.4));
  CHECK(jackknife_error(record.jackknife.at("answers")).variance ==
        test::Approx(0.0).margin(1e-12));
}

}  // namespace answers_test
