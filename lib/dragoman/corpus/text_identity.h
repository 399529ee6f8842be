#pragma once

#include "dragoman/storage/sha256.h"
#include "dragoman/text/example.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The identity of a training text, independent of its file names.
struct TextIdentity {
  std::string sha256;               ///< as computed by `TextHash`
  std::vector<std::int64_t> pairs;  ///< for each pair of files
  bool operator==(const TextIdentity&) const = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextIdentity, sha256, pairs)

/// SHA-256 over the pairs of a text: for each pair, source and target as used for training, each
/// followed by a line end.
class TextHash {
 public:
  void update(const LinePair& pair);
  std::string hex_digest() { return hash_.hex_digest(); }

 private:
  Sha256 hash_;
};

/// \throws DataError if `file` is a pipe or a device, which cannot be read again as training does
void expect_regular(const std::string& file);

/// The text's identity as `record` has it, if that is of the same files: of their names, sizes and
/// times (of modification, and of the last change of the file's entry). Else the text is read, also
/// if a file was only touched.
/// \throws DataError as `ParallelText` does, and for anything but a regular file, since it cannot
///     be read again; OptionsError if there is not one target file per source file
TextIdentity read_text_identity(std::span<const std::string> sources,
                                std::span<const std::string> targets,
                                const std::filesystem::path& record);

/// The same, and writes the record if it was not of these files.
TextIdentity identify_text(std::span<const std::string> sources,
                           std::span<const std::string> targets,
                           const std::filesystem::path& record);

}  // namespace dragoman
