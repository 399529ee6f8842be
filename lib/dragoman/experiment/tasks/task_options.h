#pragma once

#include "dragoman/config/enum_names.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The function to be learned from a synthetic text. Each kind's file in this folder shows an
/// example.
enum class TaskKind { none, copy, reverse, sort, question, agreement, retrieval };
DRAGOMAN_ENUM_NAMES(TaskKind, {{TaskKind::none, "none"},
                               {TaskKind::copy, "copy"},
                               {TaskKind::reverse, "reverse"},
                               {TaskKind::sort, "sort"},
                               {TaskKind::question, "question"},
                               {TaskKind::agreement, "agreement"},
                               {TaskKind::retrieval, "retrieval"}})

/// What is balanced over the lengths of a training text.
enum class TaskBalance { lines, words };
DRAGOMAN_ENUM_NAMES(TaskBalance, {{TaskBalance::lines, "lines"}, {TaskBalance::words, "words"}})

/// The options that determine a synthetic text. The same options give the same lines on every
/// machine.
struct TaskOptions {
  TaskKind kind = TaskKind::none;  ///< none: no synthetic text
  std::int64_t train = 10000;      ///< training pairs
  std::int64_t valid = 200;        ///< held-out pairs for validation losses
  std::int64_t test = 300;         ///< held-out pairs for testing answers; disjoint from the others
  /// Lengths of lines: letters (copy, reverse, sort, question), words from the subject to its verb
  /// (agreement), words of the source (retrieval). In the training text each occurs in proportion
  /// to how often it is listed, in the held-out parts all occur equally often. Empty = the defaults
  /// of the kind.
  std::vector<std::int64_t> lengths = {};
  /// In the training text, any length from the least to the greatest of `lengths`.
  bool any_length = false;
  /// words: a length twice as long occurs half as often in training, so that long lines do not
  /// dominate the text.
  TaskBalance balance = TaskBalance::lines;
  std::int64_t symbols = 16;  ///< number of different letters: at most 26, or 16 for retrieval;
                              ///< unused by agreement
  std::int64_t keys = 4;      ///< keys with a value per line, at most 26: retrieval
  std::int64_t seed = 1;

  /// Whether there is a task at all.
  bool any() const { return kind != TaskKind::none; }

  /// \param place prefix of the options' names in messages: "task: ", "/task/"
  /// \throws OptionsError naming the first option out of range.
  void validate(const std::string& place = "task: ") const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(TaskOptions, kind, train, valid, test, lengths,
                                                any_length, balance, symbols, keys, seed)

/// The names of the kinds, except `none`.
std::vector<std::string> task_names();

/// \throws OptionsError if there is no kind of this name
TaskKind task_kind(std::string_view name);

/// What determines the lines: the version of their drawing, and the options that differ from the
/// defaults, as JSON, so that options added later do not change it.
std::string task_identity(const TaskOptions& options);

}  // namespace dragoman
