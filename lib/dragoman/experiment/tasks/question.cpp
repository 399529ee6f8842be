#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

namespace dragoman {

namespace {

const Words ordinals = {"first", "second", "third",   "fourth",
                        "fifth", "sixth",  "seventh", "eighth"};

/// Words around the letters in question: "what is ... in ... ?"
constexpr std::int64_t words_around = 5;

/// A question about a position in a line: "what is third in t o r g ?" or "what is last in t o r g
/// ?" to "r" or "g".
LinePair draw_question(const TaskOptions& options, std::int64_t length, SplitMix64& random) {
  const auto line = random_letters(options, length, random);
  const auto asked = random.below(line.size() + 1);
  const bool last = asked == line.size();
  return {"what is " + (last ? "last" : ordinals[asked]) + " in " + join_words(line) + " ?",
          last ? line.back() : line[asked]};
}

std::int64_t asked_letters(const LinePair& pair) { return source_words(pair) - words_around; }

std::pair<std::int64_t, std::int64_t> as_many_as_ordinals(const TaskOptions& /*options*/) {
  return {1, std::ssize(ordinals)};
}

}  // namespace

Task question_task() {
  return {.about = "the letter that the source asks for",
          .unit = "letters",
          .lengths = {4, 5, 6, 7, 8},
          .length_limits = as_many_as_ordinals,
          .draw = draw_question,
          .length_of = asked_letters,
          .given = nothing_given};
}

}  // namespace dragoman
