#pragma once

#include "dragoman/storage/dtype.h"
#include "dragoman/storage/mapped_file.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// One tensor of a file: little-endian, row-major, contiguous.
struct TensorView {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< owned by the caller
};

/// Texts kept beside the tensors.
using Metadata = std::map<std::string, std::string>;

/// A safetensors file, mapped and checked: any header that another reader could interpret
/// differently (gaps, overlaps, repeated names, bytes after the data) is refused. Values are not
/// checked: a damaged byte inside the data is only found by a checksum.
class SafetensorsFile {
 public:
  /// \throws DataError if the file cannot be read.
  /// \throws FormatError naming the file, and the tensor if one is at fault.
  explicit SafetensorsFile(const std::filesystem::path& path);

  /// By name, in ascending order. The bytes live as long as this object.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  const Metadata& metadata() const { return metadata_; }

  /// The tensor of that name, or null.
  const TensorView* find(std::string_view name) const;

  /// As MappedFile::drop_pages.
  void drop_pages() const { file_.drop_pages(); }

  /// As MappedFile::expect_unchanged.
  void expect_unchanged() const { file_.expect_unchanged(); }

 private:
  MappedFile file_;
  std::vector<TensorView> tensors_;
  Metadata metadata_;
};

/// The content of a new file: a header, and views of the tensors' bytes in the order of the file.
struct SafetensorsContent {
  std::string header;
  std::vector<std::string_view> data;

  /// What is to be written, one part after the other. Views into this object and the tensors.
  std::vector<std::string_view> parts() const;
};

/// Lays tensors out by element size (largest first) and name, so that all are aligned; the data
/// begin at a multiple of 64 bytes. The same tensors give the same bytes.
/// \throws ContractError if a name occurs twice or bytes do not fit shape and type.
SafetensorsContent make_safetensors(std::vector<TensorView> tensors, const Metadata& metadata = {});

}  // namespace dragoman
