#pragma once

#include "support/catch.h"
#include "support/paths.h"
#include "support/skip.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

namespace test {

/// The folder named by the environment variable DRAGOMAN_SHARED, else by the CMake option of that
/// name: real corpora (data/), and cases that take the place of the repository's own.
/// \throws std::runtime_error if the variable names no folder
std::filesystem::path shared_folder();

/// A file or folder of golden/ or hostile/ of the shared folder, which may have the parts of
/// golden/ under reference/. Only where it lacks the whole part, such as hostile/ or
/// golden/interop_hf/, it is the repository's, in tests/. The place is told once.
std::filesystem::path cases(const std::string& part);

/// The folder of real corpora: data/ of the shared folder, else what `make corpora` makes.
inline std::filesystem::path corpora_folder() {
  const auto shared = shared_folder() / "data";
  return std::filesystem::exists(shared) ? shared : source_folder() / "data" / "corpora";
}

/// Whether `file` of the real corpora is there; else the test is skipped. A test that needs it
/// begins with: if (!test::have_corpus("multi30k/train.en.gz")) return;
inline bool have_corpus(const std::string& file) {
  if (std::filesystem::exists(corpora_folder() / file)) return true;
  skip(file + " is missing; 'make corpora' fetches it");
  return false;
}

/// \throws std::runtime_error naming the file if it cannot be read or is no JSON
inline nlohmann::json read_json(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  try {
    return nlohmann::json::parse(file);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(path.string() + ": " + error.what());
  }
}

}  // namespace test
