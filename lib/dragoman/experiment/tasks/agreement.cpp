#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

namespace dragoman {

namespace {

// Few, because a model must learn the number of each; the adverbs make enough different lines of
// the shortest distance.
const Words nouns = {"bird", "boy",  "cat",  "cow",  "dog",   "frog",
                     "girl", "goat", "king", "lion", "queen", "tiger"};
const Words verbs = {"dance", "drink", "eat",   "jump", "laugh", "listen",
                     "run",   "sing",  "sleep", "swim", "talk",  "work"};
const Words adverbs = {"also", "always", "never", "often", "rarely", "still"};
const Words fillers = {"and", "here", "near", "now", "so", "then"};

std::string noun(bool plural, SplitMix64& random) {
  return random.one_of(nouns) + (plural ? "s" : "");
}

/// The source names a verb and an adverb, the target is a sentence that ends with them, and begins
/// with their subject `distance` words before the verb: "often run" to "dogs near cat so often
/// run", or "dog near cat so often runs". The source does not determine which: to produce the verb,
/// a model must attend back, or remember. Half of the words between are other nouns, whose number
/// says nothing about the subject's.
LinePair draw_agreement(const TaskOptions& /*options*/, std::int64_t distance, SplitMix64& random) {
  const auto heads = [&random] { return random.below(2) == 0; };
  const bool plural = heads();
  const auto& verb = random.one_of(verbs);
  const auto& adverb = random.one_of(adverbs);
  Words sentence = {noun(plural, random)};
  while (std::ssize(sentence) + 1 < distance)
    sentence.push_back(heads() ? noun(heads(), random) : random.one_of(fillers));
  sentence.push_back(adverb);
  sentence.push_back(verb + (plural ? "" : "s"));
  return {adverb + ' ' + verb, join_words(sentence)};
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
