#pragma once

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <filesystem>
#include <string_view>
#include <vector>

namespace dragoman {

/// What is in a folder, in any order; nothing if there is no such folder.
/// \throws DataError if it cannot be listed
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

/// Turns what std::filesystem throws into an error for the user.
/// \param failure such as "cannot be created"
template <typename Action>
void on_disk(const std::filesystem::path& path, std::string_view failure, const Action& action) {
  try {
    action();
  } catch (const std::filesystem::filesystem_error& error) {
    throw DataError(concat(path.string(), ": ", failure, ": ", error.code().message()));
  }
}

}  // namespace dragoman
