#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/tasks/words.h"

namespace dragoman {

namespace {

constexpr std::int64_t value_letters = 10;  ///< q to z

/// A key, then random letters interspersed with one entry per key, a word of the key and its value.
/// The target is the value of the key at the beginning. With three keys and nine words: "B e k Ax a
/// Cq c c Bz" to "z"
LinePair draw_retrieval(const TaskOptions& options, std::int64_t length, SplitMix64& random) {
  const auto noise = letters('a', options.symbols);
  const auto keys = letters('A', options.keys);
  const auto last = letters('q', value_letters);
  const auto asked = random.below(keys.size());
  Words line(static_cast<std::size_t>(length));
  for (auto& word : line) word = random.one_of(noise);
  line.front() = keys[asked];
  const auto places = random.some_below(line.size() - 1, keys.size());
  std::string answer;
  for (std::size_t key = 0; key < keys.size(); ++key) {
    const auto& value = random.one_of(last);
    line[1 + places[key]] = keys[key] + value;
    if (key == asked) answer = value;
  }
  return {join_words(line), answer};
}

std::pair<std::int64_t, std::int64_t> room_for_keys(const TaskOptions& options) {
  return {1 + options.keys, 1000000};
}

}  // namespace

Task retrieval_task() {
  return {.about = "the value of the key that the source begins with",
          .unit = "words",
          .lengths = {64, 256, 1024},
          .length_limits = room_for_keys,
          .draw = draw_retrieval,
          .length_of = source_words,
          .given = nothing_given};
}

}  // namespace dragoman
