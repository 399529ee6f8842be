#pragma once

#include "dragoman/run/manifest.h"

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace dragoman {

/// Fills one checkpoint folder that nobody sees yet.
class CheckpointWriter {
 public:
  /// \param folder exists and is empty
  CheckpointWriter(std::filesystem::path folder, std::int64_t step);

  /// Writes a new file and syncs it; the parts follow one another.
  /// \throws DataError if it exists or cannot be written whole.
  void write(std::string_view name, const std::vector<std::string_view>& parts);
  void write(std::string_view name, std::string_view content) {
    write(name, std::vector<std::string_view>{content});
  }

  /// Writes the manifest of all files so far and syncs the folder. The last call.
  void finish();

 private:
  std::filesystem::path folder_;
  Manifest manifest_;
};

}  // namespace dragoman
