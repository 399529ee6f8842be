#include "dragoman/experiment/tasks/task.h"

#include "dragoman/core/error.h"
#include "dragoman/experiment/tasks/words.h"
#include "support/catch.h"

#include <algorithm>
#include <set>

namespace task_test {

using namespace dragoman;

namespace {

/// A hundred lines of a task, each of its lengths equally often; the caller checks the answers.
std::vector<LinePair> lines_of(const TaskOptions& options) {
  const auto& task = task_of(options.kind);
  SplitMix64 random(7);
  std::vector<LinePair> lines;
  for (int i = 0; i < 100; ++i)
    lines.push_back(task.draw(options, random.one_of(task.lengths), random));
  return lines;
}

std::vector<LinePair> lines_of(TaskKind kind) { return lines_of(TaskOptions{.kind = kind}); }

/// The message with which options are refused.
std::string refusal(const TaskOptions& options) {
  try {
    options.validate();
  } catch (const OptionsError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("copy, reverse and sort give the line itself, reversed and sorted", "[unit]") {
  for (const auto& pair : lines_of(TaskKind::copy)) CHECK(pair.target == pair.source);
  for (const auto& pair : lines_of(TaskKind::reverse)) {
    auto words = split_words(pair.source);
    std::reverse(words.begin(), words.end());
    CHECK(split_words(pair.target) == words);
  }
  for (const auto& pair : lines_of(TaskKind::sort)) {
    auto words = split_words(pair.source);
    std::sort(words.begin(), words.end());
    CHECK(split_words(pair.target) == words);
  }
}

TEST_CASE("the answer to a question is the letter at the position that it names", "[unit]") {
  const std::vector<std::string> places = {"first", "second", "third",   "fourth",
                                           "fifth", "sixth",  "seventh", "eighth"};
  std::set<std::string> named;
  for (const auto& pair : lines_of(TaskKind::question)) {
    CAPTURE(pair.source);
    const auto words = split_words(pair.source);
    const std::vector<std::string> line(words.begin() + 4, words.end() - 1);
    const auto place = std::find(places.begin(), places.end(), words[2]) - places.begin();
    CHECK(pair.target ==
          (words[2] == "last" ? line.back() : line.at(static_cast<std::size_t>(place))));
    named.insert(words[2]);
  }
  CHECK(named.size() == 9);
}

TEST_CASE("a verb agrees with its subject, at the requested distance before it", "[unit]") {
  const auto& task = task_of(TaskKind::agreement);
  std::set<std::int64_t> distances;
  std::set<bool> numbers;
  for (const auto& pair : lines_of(TaskKind::agreement)) {
    CAPTURE(pair.target);
    const auto words = split_words(pair.target);
    const bool plural = words.front().ends_with("s");
    CHECK(words[words.size() - 2] + ' ' + words.back() == pair.source + (plural ? "" : "s"));
    CHECK(task.length_of(pair) == std::ssize(words) - 1);
    CHECK(task.given(pair.target) + ' ' + words.back() == pair.target);
    distances.insert(task.length_of(pair));
    numbers.insert(plural);
  }
  CHECK(distances == std::set<std::int64_t>(task.lengths.begin(), task.lengths.end()));
  CHECK(numbers.size() == 2);
}

TEST_CASE("the nouns between a subject and its verb do not tell the subject's number", "[unit]") {
  std::array<std::array<int, 2>, 2> count{};  // by the number of the subject, and of other nouns
  for (const auto& pair : lines_of(TaskKind::agreement)) {
    const auto words = split_words(pair.target);
    const auto is_plural = [](const std::string& word) { return word.ends_with("s"); };
    for (std::size_t i = 1; i + 2 < words.size(); ++i) {
      static const std::set<std::string> no_nouns = {"and", "here", "near", "now", "so", "then"};
      if (!no_nouns.contains(words[i]))
        ++count.at(is_plural(words[0]) ? 1 : 0).at(is_plural(words[i]) ? 1 : 0);
    }
  }
  for (const auto& of_subject : count) {
    const double plural = of_subject[1], all = of_subject[0] + of_subject[1];
    REQUIRE(all > 500);
    CHECK(plural / all == test::Approx(0.5).margin(0.05));
  }
}

TEST_CASE("each key has one entry with its value, and the queried key comes first", "[unit]") {
  const auto& task = task_of(TaskKind::retrieval);
  const TaskOptions options{.kind = TaskKind::retrieval, .symbols = 5, .keys = 3};
  std::set<std::string> asked, answers;
  for (const auto& pair : lines_of(options)) {
    CAPTURE(pair.source);
    const auto words = split_words(pair.source);
    CHECK(std::count(words.begin() + 1, words.end(), words.front() + pair.target) == 1);
    const auto like = [&](char first, char last, std::size_t size) {
      return std::count_if(words.begin(), words.end(), [&](const std::string& word) {
        return word[0] >= first && word[0] <= last && word.size() == size;
      });
    };
    CHECK(like('A', 'C', 1) == 1);
    CHECK(like('A', 'C', 2) == 3);
    CHECK(like('a', 'e', 1) == std::ssize(words) - 4);
    CHECK(std::count(task.lengths.begin(), task.lengths.end(), std::ssize(words)) == 1);
    asked.insert(words.front());
    answers.insert(pair.target);
  }
  CHECK(asked == std::set<std::string>{"A", "B", "C"});
  CHECK(answers.size() == 10);
}

TEST_CASE("lines have the length that their task reports", "[unit]") {
  for (const auto& name : task_names()) {
    CAPTURE(name);
    const TaskOptions options{.kind = task_kind(name)};
    const auto& task = task_of(options.kind);
    SplitMix64 random(3);
    for (const auto length : task.lengths)
      CHECK(task.length_of(task.draw(options, length, random)) == length);
  }
}

TEST_CASE("options out of range are refused by name", "[unit]") {
  const auto with = [](auto change) {
    TaskOptions options{.kind = TaskKind::retrieval};
    change(options);
    return refusal(options);
  };
  CHECK(refusal({}) == "accepted");
  CHECK(with([](TaskOptions&) {}) == "accepted");
  CHECK_THAT(with([](TaskOptions& o) { o.train = 0; }), test::contains("task: train: 0"));
  CHECK_THAT(with([](TaskOptions& o) { o.test = -1; }), test::contains("task: test: -1"));
  CHECK_THAT(with([](TaskOptions& o) { o.symbols = 27; }),
             test::contains("task: symbols: 27 is outside 2 to 16"));
  CHECK(refusal({.kind = TaskKind::copy, .symbols = 26}) == "accepted");
  CHECK_THAT(with([](TaskOptions& o) { o.keys = 0; }), test::contains("task: keys: 0"));
  CHECK_THAT(with([](TaskOptions& o) { o.lengths = {100, 4}; }),
             test::contains("lengths: 4 is outside 5"));
  CHECK_THAT(refusal({.kind = TaskKind::question, .lengths = {9}}),
             test::contains("outside 1 to 8"));
  CHECK_THAT(refusal({.kind = TaskKind::agreement, .lengths = {1}}),
             test::contains("outside 2 to"));
  CHECK_THROWS_WITH(task_kind("sorting"), test::contains("choose one of copy, reverse, sort"));
}

TEST_CASE("numbers drawn below a limit are distinct and cover the range", "[unit]") {
  SplitMix64 random(1);
  std::set<std::size_t> drawn;
  for (int i = 0; i < 50; ++i) {
    const auto numbers = random.some_below(6, 4);
    CHECK(std::set<std::size_t>(numbers.begin(), numbers.end()).size() == 4);
    drawn.insert(numbers.begin(), numbers.end());
  }
  CHECK(drawn == std::set<std::size_t>{0, 1, 2, 3, 4, 5});
  CHECK_THROWS_AS(random.some_below(3, 4), ContractError);
}

}  // namespace task_test
