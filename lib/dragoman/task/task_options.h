#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// What is to be learned of a made-up text. Each kind's file in this folder shows a line of it.
enum class TaskKind { none, copy, reverse, sort, question, agreement, retrieval };
NLOHMANN_JSON_SERIALIZE_ENUM(TaskKind, {{TaskKind::none, "none"},
                                        {TaskKind::copy, "copy"},
                                        {TaskKind::reverse, "reverse"},
                                        {TaskKind::sort, "sort"},
                                        {TaskKind::question, "question"},
                                        {TaskKind::agreement, "agreement"},
                                        {TaskKind::retrieval, "retrieval"}})

/// What the lengths of a training text have equally much of.
enum class TaskBalance { lines, words };
NLOHMANN_JSON_SERIALIZE_ENUM(TaskBalance, {{TaskBalance::lines, "lines"},
                                           {TaskBalance::words, "words"}})

/// A made-up text: what decides its lines. The same options give the same lines on every machine.
struct TaskOptions {
  TaskKind kind = TaskKind::none;  ///< none: no made-up text
  std::int64_t train = 10000;      ///< pairs to learn from
  std::int64_t valid = 200;        ///< pairs held out for losses
  std::int64_t test = 300;         ///< pairs held out for the answers; none is among the others
  /// Lengths that lines have: letters (copy, reverse, sort, question), words from the subject to its
  /// verb (agreement), words of the source (retrieval). In the training text each as often as it is
  /// named, in the parts held out all equally often. Empty = the kind's own.
  std::vector<std::int64_t> lengths = {};
  /// words: a length that is twice as long comes half as often in training, so that long lines do not
  /// make up nearly all of the text.
  TaskBalance balance = TaskBalance::lines;
  std::int64_t symbols = 16;  ///< different letters: at most 26, of retrieval 16; agreement has none
  std::int64_t keys = 4;      ///< keys with a value in a line, at most 26: retrieval
  std::int64_t seed = 1;

  /// Whether there is a task at all.
  bool any() const { return kind != TaskKind::none; }

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskOptions, kind, train, valid, test, lengths,
                                                balance, symbols, keys, seed)

/// The names of the kinds, but none.
std::vector<std::string> task_names();

/// \throws OptionsError if there is none of this name
TaskKind task_kind(std::string_view name);

/// What differs from the defaults, as JSON, so that an option of a later version changes nothing.
std::string task_identity(const TaskOptions& options);

}  // namespace dragoman
