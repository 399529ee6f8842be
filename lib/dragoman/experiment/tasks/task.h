#pragma once

#include "dragoman/core/split_mix_64.h"
#include "dragoman/experiment/tasks/task_options.h"
#include "dragoman/text/example.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// A kind of synthetic text.
struct Task {
  const char* about;                  ///< human-readable: what the target is
  const char* unit;                   ///< unit of lengths
  std::vector<std::int64_t> lengths;  ///< defaults, if the options have none

  /// The smallest and largest length that lines can have.
  std::pair<std::int64_t, std::int64_t> (*length_limits)(const TaskOptions& options);
  /// A random line of `length` with its answer.
  LinePair (*draw)(const TaskOptions& options, std::int64_t length, SplitMix64& random);
  /// The length of a line.
  std::int64_t (*length_of)(const LinePair& pair);
  /// The part of the target that is given to the model; the rest is the answer.
  std::string (*given)(const std::string& target);
};

/// \throws ContractError for `none`
const Task& task_of(TaskKind kind);

Task copy_task();
Task reverse_task();
Task sort_task();
Task question_task();
Task agreement_task();
Task retrieval_task();

/// The number of words of a pair's source, which is the length of most tasks' lines.
std::int64_t source_words(const LinePair& pair);

/// Gives nothing: the whole target is the answer.
std::string nothing_given(const std::string& target);

/// `length` random letters among the first `options.symbols`.
std::vector<std::string> random_letters(const TaskOptions& options, std::int64_t length,
                                        SplitMix64& random);

/// Limits for lines of any length up to 100,000.
std::pair<std::int64_t, std::int64_t> any_length(const TaskOptions& options);

}  // namespace dragoman
