#pragma once

#include "dragoman/storage/strided_tensor.h"
#include "dragoman/storage/zip_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// Arrays that NumPy or Marian wrote into one archive, NAME.npy each: mapped and read in place.
class NpzFile {
 public:
  /// \throws DataError if the file cannot be read.
  /// \throws FormatError naming the file, and the array if one is at fault: of a type that is not
  ///     of numbers, big-endian, in Fortran's order, or of another size than its shape.
  explicit NpzFile(const std::filesystem::path& path);

  /// By name, without ".npy". The bytes live as long as this object.
  const std::vector<StridedTensor>& arrays() const { return arrays_; }

  /// As MappedFile::drop_pages.
  void drop_pages() const { zip_.drop_pages(); }

 private:
  ZipFile zip_;
  std::vector<StridedTensor> arrays_;
};

}  // namespace dragoman
