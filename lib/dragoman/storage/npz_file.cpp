#include "dragoman/storage/npz_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/core/log.h"
#include "dragoman/storage/safetensors_header.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace dragoman {

namespace {

constexpr std::array<std::pair<std::string_view, DType>, 11> npy_types = {{{"f2", DType::f16},
                                                                           {"f4", DType::f32},
                                                                           {"f8", DType::f64},
                                                                           {"i1", DType::i8},
                                                                           {"i2", DType::i16},
                                                                           {"i4", DType::i32},
                                                                           {"i8", DType::i64},
                                                                           {"u1", DType::u8},
                                                                           {"u2", DType::u16},
                                                                           {"u4", DType::u32},
                                                                           {"u8", DType::u64}}};

/// Reads the header of one array: a Python dict with the fields descr, fortran_order and shape.
class NpyReader {
 public:
  NpyReader(std::string_view bytes, std::string place) : bytes_(bytes), place_(std::move(place)) {}

  StridedTensor read(const std::string& name) const {
    constexpr std::string_view magic = "\x93NUMPY";
    if (!bytes_.starts_with(magic) || bytes_.size() < 10) refuse("is not a NumPy array");
    const auto version = static_cast<unsigned char>(bytes_[6]);
    if (version < 1 || version > 3) refuse("has a NumPy header of an unknown version");
    const std::size_t word = version == 1 ? 2 : 4;
    if (bytes_.size() < 8 + word) refuse_damaged("ends in its header");
    const auto length = from_little_endian(bytes_.substr(8, word));
    if (length > bytes_.size() - 8 - word) refuse_damaged("ends in its header");
    const auto header = bytes_.substr(8 + word, length);
    TensorView tensor;
    tensor.name = name;
    tensor.dtype = type_in(header);
    if (value_of(header, "'fortran_order':").starts_with("True"))
      refuse("is in Fortran's order; write it with numpy.ascontiguousarray");
    tensor.shape = shape_in(header);
    tensor.bytes = bytes_.substr(8 + word + length);
    const auto needed = tensor_bytes(tensor.shape, tensor.dtype, place_);
    if (static_cast<std::uint64_t>(needed) != tensor.bytes.size())
      refuse_damaged(concat("has ", tensor.bytes.size(), " bytes, its shape ", needed));
    return strided(tensor);
  }

 private:
  [[noreturn]] void refuse(std::string_view fact) const {
    throw FormatError(concat(place_, ": ", fact));
  }

  [[noreturn]] void refuse_damaged(std::string_view fact) const {
    refuse(concat(fact, "; the file is damaged, get it again"));
  }

  std::string_view value_of(std::string_view header, std::string_view key) const {
    const auto at = header.find(key);
    if (at == std::string_view::npos) refuse_damaged(concat("has no ", key, " in its header"));
    auto value = header.substr(at + key.size());
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    return value;
  }

  DType type_in(std::string_view header) const {
    const auto value = value_of(header, "'descr':");
    if (value.size() > 5 && value[0] == '\'' && value[4] == '\'')
      for (const auto& [name, type] : npy_types)
        if (value.substr(2, 2) == name && (value[1] == '<' || value[1] == '|' || value[1] == '='))
          return type;
    refuse(concat("is of the type ",
                  printable(value.substr(0, std::min(value.find(','), value.size())), 40),
                  "; only numbers in native byte order are supported"));
  }

  std::vector<std::int64_t> shape_in(std::string_view header) const {
    auto value = value_of(header, "'shape':");
    const auto end = value.find(')');
    if (!value.starts_with('(') || end == std::string_view::npos) refuse_damaged("has no shape");
    value = value.substr(1, end - 1);
    std::vector<std::int64_t> shape;
    while (value.find_first_not_of(" ,") != std::string_view::npos) {
      value.remove_prefix(value.find_first_not_of(" ,"));
      std::int64_t size = 0;
      const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), size);
      if (error != std::errc() || size < 0 || shape.size() == 8)
        refuse_damaged("has no proper shape");
      shape.push_back(size);
      value.remove_prefix(static_cast<std::size_t>(rest - value.data()));
    }
    return shape;
  }

  std::string_view bytes_;
  std::string place_;
};

}  // namespace

NpzFile::NpzFile(const std::filesystem::path& path) : zip_(path) {
  constexpr std::string_view ending = ".npy";
  for (const auto& [entry, content] : zip_.entries()) {
    if (!entry.ends_with(ending)) continue;
    const auto name = entry.substr(0, entry.size() - ending.size());
    const auto place = concat(path.string(), ": array ", printable(name, 80));
    arrays_.push_back(NpyReader(content, place).read(name));
  }
  zip_.expect_checksums();
}

}  // namespace dragoman
