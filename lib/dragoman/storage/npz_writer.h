#pragma once

#include <cstdint>
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

/// The bytes of an archive that NumPy and Marian read: stored, not compressed, NumPy's format 1.0.
/// \throws DataError if it has more than 65,535 arrays or more than 4 GiB, which this form of zip
///     has no place for
std::string npz_bytes(const std::vector<NpzArray>& arrays);

}  // namespace dragoman
