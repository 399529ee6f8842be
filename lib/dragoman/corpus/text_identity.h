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

/// Reads the text once and writes the result to `record`, together with the names, sizes and times
/// (of modification, and of the last change of the file's entry) of the files. If `record` has the
/// same, the text is not read; a file that was only touched is read again.
/// \throws DataError as `ParallelText` does, and for anything but a regular file, since it cannot
///     be read again; OptionsError if there is not one target file per source file
TextIdentity identify_text(std::span<const std::string> sources,
                           std::span<const std::string> targets,
                           const std::filesystem::path& record);

}  // namespace dragoman
