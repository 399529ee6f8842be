#include "dragoman/experiment/answers.h"

#include "dragoman/core/error.h"
#include "dragoman/experiment/statistics.h"

#include <algorithm>
#include <map>

namespace dragoman {

namespace {

std::vector<LengthAnswers> answers_by_length(const std::vector<Answer>& answers) {
  std::map<std::int64_t, std::vector<double>> right;
  for (const auto& answer : answers) right[answer.length].push_back(answer.right ? 1.0 : 0.0);
  std::vector<LengthAnswers> lengths;
  for (const auto& [length, values] : right) {
    const auto sample = sample_of(values);
    lengths.push_back({.length = length, .lines = sample.count, .right = sample.mean});
  }
  return lengths;
}

}  // namespace

TrialRecord record_of_answers(std::vector<Answer> answers) {
  if (answers.empty()) throw ContractError("record_of_answers: there are no answers");
  // The lengths of a task's text are given, not drawn: every group is to have the same share of
  // each.
  std::ranges::stable_sort(answers, {}, &Answer::length);
  TrialRecord record;
  record.answers = answers_by_length(answers);
  const auto add = [&](const char* name, std::int64_t shortest, std::int64_t longest) {
    std::vector<double> right;
    for (const auto& answer : answers)
      if (answer.length >= shortest && answer.length <= longest)
        right.push_back(answer.right ? 1.0 : 0.0);
    const auto share = [&](const std::vector<std::size_t>& lines) {
      double sum = 0.0;
      for (const auto line : lines) sum += right[line];
      return sum / static_cast<double>(lines.size());
    };
    add_test_measure(name, right.size(), share, record);
  };
  const auto shortest = record.answers.front().length, longest = record.answers.back().length;
  add("answers", shortest, longest);
  add("answers_shortest", shortest, shortest);
  add("answers_longest", longest, longest);
  return record;
}

}  // namespace dragoman
