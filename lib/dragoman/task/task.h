#pragma once

#include "dragoman/core/dice.h"
#include "dragoman/task/task_options.h"
#include "dragoman/text/example.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// A kind of made-up text.
struct Task {
  const char* about;  ///< for people: what the target is
  const char* unit;   ///< of lengths
  std::vector<std::int64_t> lengths;  ///< where the options have none

  /// The least and the greatest length that lines can have.
  std::pair<std::int64_t, std::int64_t> (*length_limits)(const TaskOptions& options);
  /// A random line of `length` with its answer.
  LinePair (*draw)(const TaskOptions& options, std::int64_t length, Dice& dice);
  /// The length of a line.
  std::int64_t (*length_of)(const LinePair& pair);
  /// What of the target is given when it is asked for; the rest of it is the answer.
  std::string (*given)(const std::string& target);
};

/// \throws ContractError for none
const Task& task_of(TaskKind kind);

Task copy_task();
Task reverse_task();
Task sort_task();
Task question_task();
Task agreement_task();
Task retrieval_task();

/// The number of words of a pair's source, which is the length of most tasks' lines.
std::int64_t source_words(const LinePair& pair);

/// Nothing: the whole target is the answer.
std::string nothing_given(const std::string& target);

/// `length` random letters of the first `options.symbols`.
std::vector<std::string> random_letters(const TaskOptions& options, std::int64_t length, Dice& dice);

/// Limits of lines that may have any length up to a hundred thousand.
std::pair<std::int64_t, std::int64_t> any_length(const TaskOptions& options);

}  // namespace dragoman
