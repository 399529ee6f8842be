#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

namespace dragoman {

namespace {

/// "f a k c" to "c k a f"
LinePair draw_reverse(const TaskOptions& options, std::int64_t length, SplitMix64& random) {
  const auto line = random_letters(options, length, random);
  return {join_words(line), join_words({line.rbegin(), line.rend()})};
}

}  // namespace

Task reverse_task() {
  return {.about = "the source in reverse order",
          .unit = "letters",
          .lengths = {4, 5, 6, 7, 8},
          .length_limits = any_length,
          .draw = draw_reverse,
          .length_of = source_words,
          .given = nothing_given};
}

}  // namespace dragoman
