#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

namespace dragoman {

namespace {

/// "f a k a" to "f a k a"
LinePair draw_copy(const TaskOptions& options, std::int64_t length, SplitMix64& random) {
  const auto line = join_words(random_letters(options, length, random));
  return {line, line};
}

}  // namespace

Task copy_task() {
  return {.about = "the same as the source",
          .unit = "letters",
          .lengths = {4, 5, 6, 7, 8},
          .length_limits = any_length,
          .draw = draw_copy,
          .length_of = source_words,
          .given = nothing_given};
}

}  // namespace dragoman
