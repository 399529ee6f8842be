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

/// What a training text is, whatever its files are called.
struct TextIdentity {
  std::string sha256;               ///< as `TextHash` gives it
  std::vector<std::int64_t> pairs;  ///< of each pair of files
  bool operator==(const TextIdentity&) const = default;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TextIdentity, sha256, pairs)

/// SHA-256 of the pairs of a text: of each, source and target as they are learned from, each with a
/// line end.
class TextHash {
 public:
  void update(const LinePair& pair);
  std::string hex_digest() { return hash_.hex_digest(); }

 private:
  Sha256 hash_;
};

/// Reads the text once and writes to `record` what it found beside the names, sizes and times of
/// the files. Where `record` holds the same names, sizes and times, the text is not read: a file
/// that was only touched is read again, one of the same size and time is taken for unchanged.
/// \throws DataError as `ParallelText` does, and for what is no regular file and so cannot be read
///     again; OptionsError if there is not a target file for each source file
TextIdentity identify_text(std::span<const std::string> sources,
                           std::span<const std::string> targets,
                           const std::filesystem::path& record);

}  // namespace dragoman
