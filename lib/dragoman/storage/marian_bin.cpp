#include "dragoman/storage/marian_bin.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/core/log.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>

namespace dragoman {

namespace {

using Type = MarianItem::Type;

struct ItemCode {
  std::uint64_t code;
  Type type;
  std::uint64_t element;  ///< bytes
};

constexpr std::array<ItemCode, 7> item_codes = {{{0x101, Type::int8, 1},
                                                 {0x402, Type::float16, 2},
                                                 {0x404, Type::float32, 4},
                                                 {0x10001, Type::intgemm8, 1},
                                                 {0x4101, Type::intgemm8, 1},
                                                 {0x10002, Type::intgemm16, 2},
                                                 {0x4102, Type::intgemm16, 2}}};

/// As Marian's sources write a type: 0x4101.
std::string hexadecimal(std::uint64_t code) {
  char digits[16];
  return "0x" + std::string(digits, std::to_chars(digits, std::end(digits), code, 16).ptr);
}

/// Reads the parts of the file one after the other.
class BinReader {
 public:
  BinReader(std::string_view bytes, const std::string& place) : bytes_(bytes), place_(place) {}

  std::vector<MarianItem> read() {
    const auto version = number(8);
    if (version != 1)
      refuse(concat("is of version ", version, version == 2 ? ", encrypted" : "",
                    "; only version 1 is supported"));
    const auto count = number(8);
    if (count > (bytes_.size() - at_) / 32)
      refuse("announces more items than it can hold; copy it again");
    std::vector<Header> headers(count);
    for (auto& header : headers)
      for (auto* value : {&header.name, &header.code, &header.rank, &header.size})
        *value = number(8);
    std::vector<MarianItem> items;
    for (const auto& header : headers) items.push_back(named_item(header));
    for (std::size_t i = 0; i < items.size(); ++i)
      items[i].shape = shape(headers[i].rank, items[i].name);
    take(number(8));
    for (std::size_t i = 0; i < items.size(); ++i) fill(items[i], headers[i]);
    if (at_ != bytes_.size())
      refuse(concat("has ", bytes_.size() - at_, " bytes behind its last item; copy it again"));
    return items;
  }

 private:
  struct Header {
    std::uint64_t name = 0, code = 0, rank = 0, size = 0;
  };

  [[noreturn]] void refuse(std::string_view fact) const {
    throw FormatError(concat(place_, ": ", fact));
  }
  [[noreturn]] void refuse_item(const std::string& name, std::string_view fact) const {
    refuse(concat("item ", printable(name, 80), ": ", fact));
  }

  std::string_view take(std::uint64_t size) {
    if (size > bytes_.size() - at_) refuse("ends too early; copy it again");
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

  std::uint64_t number(std::size_t size) { return from_little_endian(take(size)); }

  MarianItem named_item(const Header& header) {
    MarianItem item;
    const auto name = take(header.name);
    item.name = name.substr(0, name.find('\0'));
    if (!names_.insert(item.name).second)
      refuse_item(item.name, "occurs twice; copy the file again");
    return item;
  }

  std::vector<std::int64_t> shape(std::uint64_t rank, const std::string& name) {
    if (rank > 8) refuse_item(name, "has too many dimensions");
    std::vector<std::int64_t> sizes;
    for (std::uint64_t i = 0; i < rank; ++i) {
      const auto size = static_cast<std::int32_t>(number(4));
      if (size < 0) refuse_item(name, "has a negative size; copy the file again");
      sizes.push_back(size);
    }
    return sizes;
  }

  void fill(MarianItem& item, const Header& header) {
    const ItemCode* code = nullptr;
    for (const auto& known : item_codes)
      if (known.code == header.code) code = &known;
    if (code == nullptr)
      refuse_item(item.name, concat("has the type ", hexadecimal(header.code),
                                    ", which is laid out for one processor or unknown; convert the "
                                    "model with its plain intgemm types"));
    item.type = code->type;
    const auto data = take(header.size);
    std::uint64_t needed = code->element;
    bool overflow = false;
    for (const auto size : item.shape)
      overflow |= __builtin_mul_overflow(needed, static_cast<std::uint64_t>(size), &needed);
    const bool is_integer = item.type == Type::intgemm8 || item.type == Type::intgemm16;
    const auto exact = needed + (is_integer ? sizeof(float) : 0);
    if (overflow || exact < needed || data.size() < exact)
      refuse_item(item.name, concat("has ", data.size(),
                                    " bytes, too few for its shape; copy the file again"));
    // Marian pads items to multiples of 256 bytes.
    const bool is_padded = data.size() % 256 == 0 && data.size() - exact < 512;
    if (data.size() != exact && !is_padded)
      refuse_item(item.name, concat("has ", data.size(), " bytes, too many for its shape, which ",
                                    "needs ", exact, "; copy the file again"));
    item.bytes = data.substr(0, needed);
    if (!is_integer) return;
    std::memcpy(&item.multiplier, data.data() + needed, sizeof(float));
    if (!std::isfinite(item.multiplier) || item.multiplier <= 0.0F)
      refuse_item(item.name, "has a multiplier that is not positive; copy the file again");
    item.transposed = item.name.find("Wemb") == std::string::npos;
  }

  std::string_view bytes_;
  const std::string& place_;
  std::size_t at_ = 0;
  std::set<std::string> names_;
};

}  // namespace

MarianBin::MarianBin(const std::filesystem::path& path) : file_(path) {
  items_ = BinReader(file_.bytes(), path.string()).read();
}

}  // namespace dragoman
