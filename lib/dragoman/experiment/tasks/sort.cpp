#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

#include <algorithm>

namespace dragoman {

namespace {

/// "f a k a" to "a a f k"
LinePair draw_sort(const TaskOptions& options, std::int64_t length, SplitMix64& random) {
  const auto line = random_letters(options, length, random);
  auto sorted = line;
  std::sort(sorted.begin(), sorted.end());
  return {join_words(line), join_words(sorted)};
}

}  // namespace

Task sort_task() {
  return {.about = "the letters of the source in alphabetical order",
          .unit = "letters",
          .lengths = {4, 5, 6, 7, 8},
          .length_limits = any_length,
          .draw = draw_sort,
          .length_of = source_words,
          .given = nothing_given};
}

}  // namespace dragoman
