#pragma once

#include "support/catch.h"
#include "support/paths.h"
#include "support/skip.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace test {

/// The folder named by the environment variable DRAGOMAN_SHARED, else by the CMake option of that
/// name: real corpora (data/), and cases that take the place of the repository's own.
inline std::filesystem::path shared_folder() {
  const char* chosen = std::getenv("DRAGOMAN_SHARED");
  return chosen != nullptr && *chosen != '\0' ? chosen : shared_default();
}

/// A file or folder of tests/golden or tests/hostile, or what the shared folder has under this
/// name.
inline std::filesystem::path cases(const std::string& part) {
  const char* chosen = std::getenv("DRAGOMAN_SHARED");
  if (chosen != nullptr && std::filesystem::exists(std::filesystem::path(chosen) / part))
    return std::filesystem::path(chosen) / part;
  return source_folder() / "tests" / part;
}

/// Whether `part` of the real corpora is in the shared folder; else the test is skipped. A test
/// that needs it begins with: if (!test::have_shared("data/multi30k/train.en.gz")) return;
inline bool have_shared(const std::string& part) {
  const auto path = shared_folder() / part;
  if (std::filesystem::exists(path)) return true;
  skip(part + " is missing; set DRAGOMAN_SHARED to the folder that contains it");
  return false;
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

}  // namespace test
