#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

namespace dragoman {

namespace {

// So many that even at the shortest distance more than five hundred lines can be tested.
const Words nouns = {"actor",  "baker",  "bear",    "bird",     "boy",      "brother", "camel",
                     "cat",    "clown",  "cousin",  "cow",      "daughter", "doctor",  "dog",
                     "driver", "duck",   "eagle",   "farmer",   "father",   "friend",  "frog",
                     "girl",   "goat",   "guest",   "horse",    "hunter",   "king",    "lawyer",
                     "lion",   "monkey", "mother",  "neighbor", "owl",      "painter", "parent",
                     "pig",    "pilot",  "player",  "poet",     "queen",    "rabbit",  "sailor",
                     "sister", "snake",  "soldier", "son",      "student",  "teacher", "tiger",
                     "turtle", "uncle",  "wizard"};
const Words verbs = {
    "agree",    "appear", "arrive", "begin",   "come",   "complain", "dance", "dive",   "dream",
    "drink",    "eat",    "fall",   "follow",  "forget", "grow",     "hear",  "help",   "hide",
    "hope",     "jump",   "kneel",  "laugh",   "leave",  "listen",   "move",  "pray",   "read",
    "remember", "rest",   "return", "run",     "see",    "shout",    "sing",  "sit",    "sleep",
    "smile",    "speak",  "stay",   "stop",    "swim",   "talk",     "think", "travel", "turn",
    "vote",     "wait",   "walk",   "whisper", "win",    "work",     "write"};
const Words fillers = {"and", "here", "near", "now", "so", "then"};

std::string noun(bool plural, Dice& dice) { return dice.one_of(nouns) + (plural ? "s" : ""); }

/// The source names a verb, the target is a sentence in which it follows its subject at a distance
/// of `distance` words: "run" to "dogs near cat so , run", or "dog near cat so , runs". The source
/// does not determine which: to produce the verb, a model must attend back, or remember. Half of
/// the words between are other nouns, whose number says nothing about the subject's.
LinePair draw_agreement(const TaskOptions& /*options*/, std::int64_t distance, Dice& dice) {
  const auto heads = [&dice] { return dice.below(2) == 0; };
  const bool plural = heads();
  const auto& verb = dice.one_of(verbs);
  Words sentence = {noun(plural, dice)};
  while (std::ssize(sentence) + 1 < distance)
    sentence.push_back(heads() ? noun(heads(), dice) : dice.one_of(fillers));
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
