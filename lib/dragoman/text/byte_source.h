#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace dragoman {

/// Where bytes come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills the front of `buffer` and returns how many bytes it put there, 0 at the end only.
  /// \throws DataError if reading fails.
  virtual std::size_t read(std::span<char> buffer) = 0;

  /// Whether `read` would block waiting for input.
  virtual bool would_wait() const = 0;
};

/// A file, decompressed if its name ends in ".gz".
/// \throws DataError if it cannot be opened.
std::unique_ptr<ByteSource> open_bytes(const std::filesystem::path& file);

std::unique_ptr<ByteSource> standard_input_bytes();

}  // namespace dragoman
