#pragma once

#include "dragoman/storage/mapped_file.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dragoman {

/// Element types of CTranslate2's model.bin, by their code in the file.
enum class CTranslate2Type : std::uint8_t { f32, i8, i16, i32, f16, bf16 };

/// Bytes of one element.
std::size_t size_of(CTranslate2Type type);

/// The bytes of a variable, with what owns them: a text, a tensor, a mapped file.
class CTranslate2Bytes {
 public:
  CTranslate2Bytes() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  CTranslate2Bytes(std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    view_ = *owner;
    owner_ = std::move(owner);
  }
  CTranslate2Bytes(std::string_view view, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)), view_(view) {}

  std::string_view view() const { return view_; }
  std::size_t size() const { return view_.size(); }

  bool operator==(const CTranslate2Bytes& other) const { return view_ == other.view_; }

 private:
  std::shared_ptr<const void> owner_;
  std::string_view view_;
};

/// One variable: little-endian, row-major. An empty shape is a scalar.
struct CTranslate2Variable {
  std::vector<std::uint32_t> shape;
  CTranslate2Type type = CTranslate2Type::f32;
  CTranslate2Bytes bytes;

  bool operator==(const CTranslate2Variable&) const = default;
};

/// The contents of a CTranslate2 model.bin. Those that are written are of binary version 6,
/// "TransformerSpec" revision 7.
struct CTranslate2File {
  std::uint32_t version = 6;             ///< of the binary form: 1 to 6
  std::string spec = "TransformerSpec";  ///< the kind of model; version 1 has none
  std::uint32_t revision = 7;            ///< of the names of its variables
  std::map<std::string, CTranslate2Variable> variables;
  std::map<std::string, std::string> aliases;  ///< alias of a variable -> its name

  /// The variable of that name or alias, or null.
  const CTranslate2Variable* find(const std::string& name) const;

  /// Stores equal arrays once, under the name that comes first; the others become aliases.
  void share_equal_variables();

  /// Appends a file of the newest version, whatever was read, part by part.
  /// \throws ContractError if bytes do not fit a shape, or a name is too long for the format;
  ///     OptionsError if a variable is too large for it.
  void write(const std::function<void(std::string_view)>& append) const;

  /// Where the variables lie, if they were read; what was copied from there can be dropped.
  std::shared_ptr<const MappedFile> mapped = nullptr;
};

/// \throws DataError if the file cannot be read; FormatError naming the file if it is damaged, of
///     a newer version or not a Transformer that translates.
CTranslate2File read_ctranslate2_file(const std::filesystem::path& path);

}  // namespace dragoman
