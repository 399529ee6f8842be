#pragma once

#include "dragoman/core/atomic_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// An array for an archive: little-endian, row-major.
struct NpzArray {
  std::string name;  ///< without ".npy"
  std::string type;  ///< as NumPy writes it: "<f4", "|i1"
  std::vector<std::int64_t> shape;
  std::string_view bytes;
};

/// An archive that NumPy and Marian read, written array by array: stored, not compressed, NumPy's
/// format 1.0. It appears at its path whole or not at all.
class NpzWriter {
 public:
  /// \throws DataError if the file cannot be made
  explicit NpzWriter(const std::filesystem::path& path) : file_(path), place_(path.string()) {}

  /// \throws DataError if it cannot be written; also for more than 65,535 arrays or 4 GiB, which
  ///     this form of zip has no place for
  void add(const NpzArray& array);

  /// \throws DataError as `add`; there is then no file
  void commit();

 private:
  AtomicFile file_;
  std::string place_;
  std::string directory_;
  std::size_t count_ = 0;
};

}  // namespace dragoman
