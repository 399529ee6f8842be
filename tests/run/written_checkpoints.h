#pragma once

#include "dragoman/run/checkpoint_store.h"

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

/// Checkpoints of two small files, and what is there of them.
namespace written_checkpoints {

using namespace dragoman;

inline void fill(CheckpointWriter& writer) {
  writer.write("state.json", "{\"loss\": 1}");
  writer.write("weights", std::string(1000, 'w'));
}

inline std::vector<std::string> names(const std::filesystem::path& folder) {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    found.insert(entry.path().filename().string());
  return {found.begin(), found.end()};
}

inline std::vector<std::int64_t> steps(const CheckpointStore& store) {
  std::vector<std::int64_t> found;
  for (const auto& checkpoint : store.list()) found.push_back(checkpoint.step);
  return found;
}

inline void damage(const std::filesystem::path& file) {
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(5) << 'X';
}

/// Runs `action` in a process of its own; true if it ended by returning true.
template <typename Action>
bool in_child(const Action& action) {
  const pid_t child = ::fork();
  if (child == 0) {
    bool good = false;
    try {
      good = action();
    } catch (...) {
    }
    ::_exit(good ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace written_checkpoints
