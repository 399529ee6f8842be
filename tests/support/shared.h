#pragma once

#include "support/catch.h"
#include "support/paths.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace test {

/// The folder with golden/, reference/, hostile/ and data/: the environment variable
/// DRAGOMAN_SHARED, else the CMake option of that name.
inline std::filesystem::path shared_folder() {
  const char* chosen = std::getenv("DRAGOMAN_SHARED");
  return chosen != nullptr && *chosen != '\0' ? chosen : shared_default();
}

/// Whether `part` is in the shared folder; warns if it is not. A test that needs it begins with: if
/// (!test::have_shared("golden/transformer.json")) return;
inline bool have_shared(const std::string& part) {
  const auto path = shared_folder() / part;
  if (std::filesystem::exists(path)) return true;
  WARN("skipped: " << path.string()
                   << " is missing; set DRAGOMAN_SHARED to the folder that contains it");
  return false;
}

inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

}  // namespace test
