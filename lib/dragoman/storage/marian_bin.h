#pragma once

#include "dragoman/storage/mapped_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A tensor of a `MarianBin`.
struct MarianItem {
  enum class Type {
    int8,  ///< plain bytes, such as the text of the options
    float16,
    float32,
    intgemm8,   ///< integers divided by `multiplier`, [outputs, inputs] whatever the shape says,
    intgemm16,  ///< except of embeddings
  };
  std::string name = {};
  Type type = Type::float32;
  std::vector<std::int64_t> shape = {};
  std::string_view bytes = {};  ///< of its elements; little-endian
  float multiplier = 1.0F;      ///< of the intgemm types
  bool transposed = false;      ///< whether the elements are those of the transpose
};

/// Marian's model.bin, mapped and read in place. Both families of codes for integers are known:
/// those of Marian, and those of bergamot and Firefox.
class MarianBin {
 public:
  /// \throws DataError if the file cannot be read.
  /// \throws FormatError naming the file, and the item if one is at fault: of a type laid out for
  ///     one processor, outside the file, or of another size than its shape.
  explicit MarianBin(const std::filesystem::path& path);

  /// In the order of the file. The bytes live as long as this object.
  const std::vector<MarianItem>& items() const { return items_; }

  /// As MappedFile::drop_pages.
  void drop_pages() const { file_.drop_pages(); }

 private:
  MappedFile file_;
  std::vector<MarianItem> items_;
};

}  // namespace dragoman
