#include "dragoman/convert/ctranslate2_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <algorithm>
#include <concepts>
#include <cstring>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

constexpr std::uint32_t binary_version = 6;
constexpr std::uint32_t newest_revision = 7;
constexpr std::string_view spec_name = "TransformerSpec";
constexpr std::uint32_t largest_rank = 8;

std::size_t byte_count(const CTranslate2Variable& variable) {
  std::size_t count = size_of(variable.type);
  for (const std::size_t size : variable.shape)
    if (__builtin_mul_overflow(count, size, &count)) return std::numeric_limits<std::size_t>::max();
  return count;
}

class Reader {
 public:
  Reader(std::string_view bytes, std::string place) : bytes_(bytes), place_(std::move(place)) {}

  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) fail("is truncated; copy it again");
    const auto part = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return part;
  }

  template <std::unsigned_integral T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string text() {
    const auto part = take(number<std::uint16_t>());
    if (part.empty() || part.back() != '\0') fail("has an unterminated name; it is damaged");
    const auto name = part.substr(0, part.size() - 1);
    if (utf8::find_invalid(name)) fail("has a name that is not UTF-8; it is damaged");
    return std::string(name);
  }

  bool at_end() const { return bytes_.empty(); }

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError(concat(place_, ": ", what));
  }

 private:
  std::string_view bytes_;
  std::string place_;
};

void read_head(Reader& reader, CTranslate2File& file) {
  file.version = reader.number<std::uint32_t>();
  if (file.version < 1 || file.version > binary_version)
    reader.fail(concat("is not a CTranslate2 model of binary version 1 to ", binary_version,
                       " (it begins with ", file.version,
                       "); convert with CTranslate2 1.0 or newer"));
  file.spec = file.version == 1 ? "" : reader.text();
  file.revision = file.version == 1 ? 1 : reader.number<std::uint32_t>();
  // The first versions named the model by its size.
  const bool is_known = file.spec == spec_name || file.spec.empty() ||
                        file.spec == "TransformerBase" || file.spec == "TransformerBig";
  if (!is_known)
    reader.fail(
        concat("contains a '", printable(file.spec, 60), "'; only ", spec_name, " can be read"));
  if (file.revision < 1 || file.revision > newest_revision)
    reader.fail(concat("is of revision ", file.revision, ", which is not one of 1 to ",
                       newest_revision, "; convert with an older release"));
}

/// Types were told by the size of their elements alone.
CTranslate2Type type_of_size(std::uint8_t size, Reader& reader, const std::string& name) {
  switch (size) {
    case 1: return CTranslate2Type::i8;
    case 2: return CTranslate2Type::i16;
    case 4: return CTranslate2Type::f32;
    default:
      reader.fail(
          concat("variable ", name, " has elements of ", int{size}, " bytes; it is damaged"));
  }
}

/// The type, and how many bytes of it follow.
std::pair<CTranslate2Type, std::uint64_t> read_type(Reader& reader, const std::string& name,
                                                    std::uint32_t version) {
  const auto code = reader.number<std::uint8_t>();
  const std::uint64_t count = reader.number<std::uint32_t>();
  if (version < 4) return {type_of_size(code, reader, name), count * code};
  if (code > static_cast<std::uint8_t>(CTranslate2Type::bf16))
    reader.fail(concat("variable ", name, " has the unknown type ", int{code}));
  return {static_cast<CTranslate2Type>(code), count};
}

CTranslate2Variable read_variable(Reader& reader, const std::string& name,
                                  const CTranslate2File& file) {
  CTranslate2Variable variable;
  const auto rank = reader.number<std::uint8_t>();
  if (rank > largest_rank)
    reader.fail(concat("variable ", name, " has ", int{rank}, " dimensions; it is damaged"));
  for (std::uint8_t i = 0; i < rank; ++i) variable.shape.push_back(reader.number<std::uint32_t>());
  if (std::ranges::find(variable.shape, 0U) != variable.shape.end())
    reader.fail(concat("variable ", name, " has no elements; it is damaged"));
  const auto [type, size] = read_type(reader, name, file.version);
  variable.type = type;
  variable.bytes = {reader.take(size), file.mapped};
  if (variable.bytes.size() != byte_count(variable))
    reader.fail(concat("variable ", name, " has ", variable.bytes.size(),
                       " bytes, its shape needs ", byte_count(variable), "; it is damaged"));
  return variable;
}

template <std::unsigned_integral T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_text(std::string& out, std::string_view text) {
  if (text.size() + 1 > std::numeric_limits<std::uint16_t>::max())
    throw ContractError(concat("ctranslate2: the name ", text.substr(0, 60), "... is too long"));
  put(out, static_cast<std::uint16_t>(text.size() + 1));
  out.append(text);
  out.push_back('\0');
}

/// Whether two weights are multiplied by the same numbers, if by any.
bool have_equal_scales(const CTranslate2File& file, const std::string& one,
                       const std::string& other) {
  const auto *of_one = file.find(one + "_scale"), *of_other = file.find(other + "_scale");
  return of_one == nullptr || of_other == nullptr ? of_one == of_other : *of_one == *of_other;
}

}  // namespace

std::size_t size_of(CTranslate2Type type) {
  switch (type) {
    case CTranslate2Type::i8: return 1;
    case CTranslate2Type::i16:
    case CTranslate2Type::f16:
    case CTranslate2Type::bf16: return 2;
    case CTranslate2Type::f32:
    case CTranslate2Type::i32: return 4;
  }
  throw ContractError("ctranslate2: no such type");
}

const CTranslate2Variable* CTranslate2File::find(const std::string& name) const {
  const auto alias = aliases.find(name);
  const auto found = variables.find(alias == aliases.end() ? name : alias->second);
  return found == variables.end() ? nullptr : &found->second;
}

void CTranslate2File::share_equal_variables() {
  for (auto one = variables.begin(); one != variables.end(); ++one) {
    if (one->second.shape.empty()) continue;
    for (auto other = std::next(one); other != variables.end();) {
      if (one->second == other->second && have_equal_scales(*this, one->first, other->first)) {
        aliases[other->first] = one->first;
        other = variables.erase(other);
      } else {
        ++other;
      }
    }
  }
  // The scale of a weight is found by the name that its alias stands for.
  for (const auto& [alias, name] : std::map(aliases)) {
    if (!variables.contains(name + "_scale")) continue;
    variables.erase(alias + "_scale");
    aliases.erase(alias + "_scale");
  }
}

void CTranslate2File::write(const std::function<void(std::string_view)>& append) const {
  std::string out;
  put(out, binary_version);
  put_text(out, spec_name);
  put(out, newest_revision);
  put(out, static_cast<std::uint32_t>(variables.size()));
  for (const auto& [name, variable] : variables) {
    if (variable.bytes.size() != byte_count(variable))
      throw ContractError(concat("ctranslate2: ", name, " has ", variable.bytes.size(), " bytes"));
    if (variable.bytes.size() > std::numeric_limits<std::uint32_t>::max())
      throw OptionsError(concat("convert --to ctranslate2: ", name, " has ", variable.bytes.size(),
                                " bytes, and CTranslate2's form has room for 4 GiB; give "
                                "--quantize float16 or int8"));
    put_text(out, name);
    put(out, static_cast<std::uint8_t>(variable.shape.size()));
    for (const auto size : variable.shape) put(out, size);
    put(out, static_cast<std::uint8_t>(variable.type));
    put(out, static_cast<std::uint32_t>(variable.bytes.size()));
    append(std::exchange(out, {}));
    append(variable.bytes.view());
  }
  put(out, static_cast<std::uint32_t>(aliases.size()));
  for (const auto& [alias, name] : aliases) {
    put_text(out, alias);
    put_text(out, name);
  }
  append(out);
}

CTranslate2File read_ctranslate2_file(const std::filesystem::path& path) {
  CTranslate2File file;
  file.mapped = std::make_shared<const MappedFile>(path);
  Reader reader(file.mapped->bytes(), path.string());
  read_head(reader, file);
  for (auto count = reader.number<std::uint32_t>(); count > 0; --count) {
    const auto name = reader.text();
    if (!file.variables.emplace(name, read_variable(reader, name, file)).second)
      reader.fail(concat("contains variable ", name, " twice"));
  }
  for (auto count = file.version < 3 ? 0 : reader.number<std::uint32_t>(); count > 0; --count) {
    const auto alias = reader.text();
    const auto name = reader.text();
    if (!file.variables.contains(name) || file.variables.contains(alias))
      reader.fail(concat("alias ", alias, " of ", name, " does not refer to a variable"));
    if (!file.aliases.emplace(alias, name).second)
      reader.fail(concat("contains alias ", alias, " twice"));
  }
  if (!reader.at_end()) reader.fail("has bytes after its end; it is damaged");
  return file;
}

}  // namespace dragoman
