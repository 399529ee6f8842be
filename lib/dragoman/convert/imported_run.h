#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dragoman {

/// The run that a foreign model becomes.
struct ImportedRun {
  /// Most need no more than a folder.
  // NOLINTNEXTLINE(google-explicit-constructor)
  ImportedRun(std::filesystem::path folder) : dir(std::move(folder)) {}
  ImportedRun(std::filesystem::path folder, std::vector<std::string> overrides,
              std::filesystem::path from)
      : dir(std::move(folder)), settings(std::move(overrides)), origin(std::move(from)) {}

  std::filesystem::path dir;               ///< to create, or empty
  std::vector<std::string> settings = {};  ///< KEY=VALUE, in place of what the model says
  std::filesystem::path origin = {};  ///< recorded as where it comes from; empty = the folder read
};

/// The shortlists of the other program, in the folder of a run that an import made.
inline constexpr const char* marian_shortlist_file = "shortlist.bin";
inline constexpr const char* vocabulary_map_file = "vmap.txt";

/// The files of these that there are in a run's folder.
/// \param checkpoint of the run; none if it is not in a run's folder
std::vector<std::filesystem::path> imported_shortlists(const std::filesystem::path& checkpoint);

}  // namespace dragoman
