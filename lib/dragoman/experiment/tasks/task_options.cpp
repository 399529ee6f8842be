#include "dragoman/experiment/tasks/task_options.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/experiment/tasks/task.h"

#include <array>
#include <vector>

namespace dragoman {

namespace {

constexpr std::array all_kinds = {TaskKind::copy,     TaskKind::reverse,   TaskKind::sort,
                                  TaskKind::question, TaskKind::agreement, TaskKind::retrieval};

/// Counts changes of the lines that the same options give, so that texts of before are not used.
constexpr int lines_version = 2;

void expect_between(const std::string& key, std::int64_t value, std::int64_t least,
                    std::int64_t most) {
  if (value < least || value > most)
    throw OptionsError(concat(key, ": ", value, " is outside ", least, " to ", most,
                              "; choose a value in that range"));
}

}  // namespace

void TaskOptions::validate(const std::string& place) const {
  if (!any()) return;
  constexpr std::int64_t many = 100000000;
  expect_between(place + "train", train, 1, many);
  expect_between(place + "valid", valid, 1, many);
  expect_between(place + "test", test, 1, many);
  // For retrieval the last ten letters are values.
  expect_between(place + "symbols", symbols, 2, kind == TaskKind::retrieval ? 16 : 26);
  expect_between(place + "keys", keys, 1, 26);
  const auto [least, most] = task_of(kind).length_limits(*this);
  for (const auto length : lengths) expect_between(place + "lengths", length, least, most);
}

std::vector<std::string> task_names() {
  std::vector<std::string> names;
  for (const auto kind : all_kinds) names.push_back(nlohmann::json(kind));
  return names;
}

TaskKind task_kind(std::string_view name) {
  std::vector<std::string> known;
  for (const auto kind : all_kinds) {
    known.push_back(nlohmann::json(kind));
    if (known.back() == name) return kind;
  }
  throw OptionsError(
      concat("task: unknown task \"", printable(name, 80), "\"; choose one of ", joined(known)));
}

std::string task_identity(const TaskOptions& options) {
  const auto changes = nlohmann::json::diff(nlohmann::json(TaskOptions{}), nlohmann::json(options));
  return concat(lines_version, ' ', changes.dump());
}

}  // namespace dragoman
