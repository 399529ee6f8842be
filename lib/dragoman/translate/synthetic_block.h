#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Lines of a text that is to be translated for training, which are translated and saved together.
struct SyntheticBlock {
  std::vector<std::string> lines;
  std::vector<std::string> references;  ///< of each line, or of none

  /// What its translations depend on: each line, followed by its reference if it has one.
  std::string text() const;
};

/// The translations of one block, empty for lines that are left out, with checksums, in
/// FOLDER/block-NUMBER.json.
class SyntheticBlockFile {
 public:
  SyntheticBlockFile(const std::filesystem::path& folder, std::int64_t number);

  /// Whether it is intact enough to be that of another block.
  bool is_of_other(const SyntheticBlock& block) const;

  /// The translations; none if there are none of this block, or they are damaged.
  std::optional<std::vector<std::string>> read(const SyntheticBlock& block) const;

  /// \throws SystemError
  void write(const SyntheticBlock& block, const std::vector<std::string>& translations) const;

 private:
  std::filesystem::path path_;
};

/// Deletes all of them.
void remove_synthetic_blocks(const std::filesystem::path& folder);

}  // namespace dragoman
