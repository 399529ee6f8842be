#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

namespace dragoman {

namespace {

const Words nouns = {"bird", "cat", "dog", "horse"};
const Words verbs = {"eat", "run", "sing", "sleep"};
const Words fillers = {"so", "then", "here", "now"};

/// The source names a verb, the target is a sentence in which it follows its subject at a distance
/// of `distance` words: "run" to "dogs so then here , run", or "dog so then here , runs". The
/// source does not determine which: to produce the verb, a model must attend back, or remember.
LinePair draw_agreement(const TaskOptions& /*options*/, std::int64_t distance, Dice& dice) {
  const bool plural = dice.below(2) == 0;
  const auto& verb = dice.one_of(verbs);
  Words sentence = {dice.one_of(nouns) + (plural ? "s" : "")};
  while (std::ssize(sentence) + 1 < distance) sentence.push_back(dice.one_of(fillers));
  sentence.emplace_back(",");
  sentence.push_back(verb + (plural ? "" : "s"));
  return {verb, join_words(sentence)};
}

std::int64_t distance_of(const LinePair& pair) { return std::ssize(split_words(pair.target)) - 1; }

/// Everything except the verb.
std::string before_verb(const std::string& target) { return target.substr(0, target.rfind(' ')); }

std::pair<std::int64_t, std::int64_t> distances(const TaskOptions& /*options*/) {
  return {2, 1000};
}

}  // namespace

Task agreement_task() {
  return {.about = "a sentence whose last word, the verb, agrees with its first",
          .unit = "words from subject to verb",
          .lengths = {2, 5, 10, 20, 50, 100},
          .length_limits = distances,
          .draw = draw_agreement,
          .length_of = distance_of,
          .given = before_verb};
}

}  // namespace dragoman
