#pragma once

#include "dragoman/core/error.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace dragoman {

/// Version of the checkpoint folder's layout that this program writes; it reads no newer one.
inline constexpr std::int64_t checkpoint_format_version = 1;

inline constexpr const char* manifest_file = "manifest.json";

/// A checkpoint that a newer version of this program wrote, which says nothing of damage.
class NewerVersion : public FormatError {
 public:
  using FormatError::FormatError;
};

/// What a finished checkpoint folder holds: the `manifest_file`, written last.
struct Manifest {
  struct File {
    std::int64_t size = 0;  ///< bytes
    std::string sha256;     ///< 64 hexadecimal digits
  };

  std::int64_t step = 0;              ///< updates done
  std::map<std::string, File> files;  ///< by name; the manifest itself is not among them

  /// Bytes of all files.
  std::int64_t total_size() const;

  /// As JSON text that holds a checksum of itself.
  std::string to_text() const;
};

/// How thoroughly `verify_checkpoint` checks.
enum class Verification {
  sizes,      ///< manifest, and that each file is there with its size
  model,      ///< each file's SHA-256 too, and the form of .safetensors files; except for
              ///< optimizer.safetensors, which may be missing: only training needs it
  checksums,  ///< the same for every file
};

/// Reads CHECKPOINT/manifest.json and verifies its own checksum.
/// \throws DataError if it is missing; SystemError if it cannot be read now; NewerVersion;
///     FormatError if it is damaged
Manifest read_manifest(const std::filesystem::path& checkpoint);

/// Compares the folder with its manifest.
/// \throws DataError or FormatError naming the first file that is not as it was written;
///     SystemError naming the first that cannot be read now; NewerVersion
Manifest verify_checkpoint(const std::filesystem::path& checkpoint,
                           Verification verification = Verification::checksums);

/// What is damaged in a checkpoint; no value if it is good.
/// \throws NewerVersion; SystemError if that cannot be found out now
std::optional<std::string> damage_of(const std::filesystem::path& checkpoint,
                                     Verification verification);

}  // namespace dragoman
