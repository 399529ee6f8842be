#include "dragoman/experiment/tasks/task.h"

#include "dragoman/core/error.h"
#include "dragoman/experiment/tasks/words.h"

#include <array>

namespace dragoman {

const Task& task_of(TaskKind kind) {
  static const std::array all = {copy_task(),     reverse_task(),   sort_task(),
                                 question_task(), agreement_task(), retrieval_task()};
  if (kind == TaskKind::none) throw ContractError("task_of: none is not a task");
  return all.at(static_cast<std::size_t>(kind) - 1);
}

std::int64_t source_words(const LinePair& pair) { return std::ssize(split_words(pair.source)); }

std::string nothing_given(const std::string& /*target*/) { return {}; }

std::vector<std::string> random_letters(const TaskOptions& options, std::int64_t length,
                                        SplitMix64& random) {
  const auto all = letters('a', options.symbols);
  std::vector<std::string> line;
  for (std::int64_t i = 0; i < length; ++i) line.push_back(random.one_of(all));
  return line;
}

std::pair<std::int64_t, std::int64_t> any_length(const TaskOptions& /*options*/) {
  return {1, 100000};
}

}  // namespace dragoman
