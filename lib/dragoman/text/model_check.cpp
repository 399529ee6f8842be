#include "dragoman/text/model_check.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/little_endian.h"
#include "dragoman/core/utf8.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <unordered_set>
#include <vector>

namespace dragoman {

namespace {

// SentencePiece itself learns pieces of at most 16 characters; libraries descend once for each
// byte.
constexpr std::size_t max_piece_bytes = 1024;

/// Numbers of sentencepiece_model.proto.
enum Field : std::uint64_t { pieces = 1, trainer = 2, normalizer = 3, denormalizer = 5 };
enum PieceField : std::uint64_t { piece_text = 1, piece_score = 2, piece_type = 3 };
enum PieceType : std::uint64_t { normal = 1, unknown = 2, byte = 6 };
constexpr std::uint64_t model_type_field = 3;
constexpr std::uint64_t charsmap_field = 2;

struct ProtoField {
  std::uint64_t number = 0;
  std::uint64_t value = 0;     ///< of a number, or the bits of one
  std::string_view content{};  ///< of bytes or a message
};

/// Walks over the fields of one message.
class ProtoReader {
 public:
  ProtoReader(std::string_view bytes, const std::string& place) : rest_(bytes), place_(place) {}

  std::optional<ProtoField> next() {
    if (rest_.empty()) return std::nullopt;
    const auto key = varint();
    ProtoField field;
    field.number = key >> 3;
    switch (key & 7) {
      case 0: field.value = varint(); break;
      case 1: field.value = fixed(8); break;
      case 2: field.content = take(varint()); break;
      case 5: field.value = fixed(4); break;
      default: damaged();
    }
    if (field.number == 0) damaged();
    return field;
  }

 private:
  [[noreturn]] void damaged() const {
    throw FormatError(concat(place_,
                             ": is not a SentencePiece model, or is damaged; "
                             "get the file again or train one with: dragoman tokenize train"));
  }

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) damaged();
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::uint64_t fixed(std::size_t count) { return from_little_endian(take(count)); }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto bits = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{bits & 0x7Fu} << shift;
      if (bits < 0x80) return value;
    }
    damaged();
  }

  std::string_view rest_;
  const std::string& place_;
};

struct Piece {
  std::string_view text;
  float score = 0.0F;
  std::uint64_t type = normal;
};

Piece read_piece(std::string_view bytes, const std::string& place) {
  Piece piece;
  ProtoReader reader(bytes, place);
  while (const auto field = reader.next()) {
    if (field->number == piece_text) piece.text = field->content;
    if (field->number == piece_score)
      piece.score = std::bit_cast<float>(static_cast<std::uint32_t>(field->value));
    if (field->number == piece_type) piece.type = field->value;
  }
  return piece;
}

bool names_byte(std::string_view text) {
  return text.size() == 6 && text.starts_with("<0x") && text.ends_with('>') &&
         text.find_first_not_of("0123456789ABCDEF", 3) == 5;
}

/// What is wrong with a piece; nothing if it can be used.
std::string_view fault(const Piece& piece) {
  if (piece.text.empty()) return "is empty";
  if (piece.text.size() > max_piece_bytes) return "is longer than 1024 bytes";
  if (utf8::find_invalid(piece.text)) return "is not UTF-8";
  if (piece.text.find_first_of(std::string_view("\0\n\r", 3)) != std::string_view::npos)
    return "holds a zero byte or a line end";
  if (!std::isfinite(piece.score)) return "has a score that is not a finite number";
  if (piece.type < normal || piece.type > byte) return "is of an unknown kind";
  if (piece.type == byte && !names_byte(piece.text)) return "is a byte piece that names no byte";
  return {};
}

/// The double-array trie (darts-clone) inside a normalization table: units of 32 bits.
class Trie {
 public:
  explicit Trie(std::string_view bytes) : units_(bytes.size() / 4) {
    for (std::size_t i = 0; i < units_.size(); ++i)
      units_[i] = static_cast<std::uint32_t>(from_little_endian(bytes.substr(4 * i, 4)));
  }

  /// Whether no text leads outside: every step from every node that can be reached stays among the
  /// units, and every value is less than `values`.
  bool stays_inside(std::size_t values) const {
    if (units_.empty()) return false;
    const Children children(units_);
    std::vector<bool> seen(units_.size(), false);
    std::vector<std::size_t> open{0};
    seen[0] = true;
    while (!open.empty()) {
      const auto node = open.back();
      open.pop_back();
      const auto base = node ^ offset(units_[node]);
      if ((base | 0xFF) >= units_.size()) return false;
      if (has_leaf(units_[node]) && (units_[base] & 0x7FFFFFFF) >= values) return false;
      for (auto child = children.first[base]; child != none; child = children.next[child]) {
        if (seen[child]) continue;
        seen[child] = true;
        open.push_back(child);
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t none = SIZE_MAX;

  /// Lists of the units that have a label, by the base from which the label leads to them.
  struct Children {
    explicit Children(const std::vector<std::uint32_t>& units)
        : first(units.size(), none), next(units.size(), none) {
      for (std::size_t unit = 0; unit < units.size(); ++unit) {
        const std::size_t label = units[unit] & 0x800000FF;
        const auto base = unit ^ label;
        if (label > 0xFF || base >= units.size()) continue;
        next[unit] = first[base];
        first[base] = unit;
      }
    }

    std::vector<std::size_t> first, next;
  };

  static std::size_t offset(std::uint32_t unit) {
    return std::size_t{unit >> 10} << ((unit & 0x200) >> 6);
  }
  static bool has_leaf(std::uint32_t unit) { return (unit >> 8 & 1) != 0; }

  std::vector<std::uint32_t> units_;
};

/// A table is the trie's size in bytes (32 bits), the trie, then texts that end with a zero byte.
bool usable_charsmap(std::string_view table) {
  if (table.size() < 4) return false;
  const auto trie_bytes = from_little_endian(table.substr(0, 4));
  if (trie_bytes % 4 != 0 || trie_bytes > table.size() - 4) return false;
  const auto texts = table.substr(4 + trie_bytes);
  if (!texts.ends_with('\0') || utf8::find_invalid(texts)) return false;
  return Trie(table.substr(4, trie_bytes)).stays_inside(texts.size());
}

void check_normalizer(std::string_view bytes, const std::string& place) {
  ProtoReader reader(bytes, place);
  while (const auto field = reader.next()) {
    if (field->number == charsmap_field && !field->content.empty() &&
        !usable_charsmap(field->content))
      throw FormatError(concat(place, ": its normalization table is damaged; get the file again"));
  }
}

Segmentation read_segmentation(std::string_view bytes, const std::string& place) {
  std::uint64_t type = 1;
  ProtoReader reader(bytes, place);
  while (const auto field = reader.next())
    if (field->number == model_type_field) type = field->value;
  if (type < 1 || type > 4)
    throw FormatError(
        concat(place, ": is a model of the unknown type ", type, "; train another model"));
  return static_cast<Segmentation>(type);
}

}  // namespace

PieceFacts check_sentencepiece_model(std::string_view bytes, const std::string& place) {
  std::unordered_set<std::string_view> texts;
  PieceFacts facts;
  std::size_t unknown_pieces = 0;
  std::size_t number = 0;
  ProtoReader reader(bytes, place);
  while (const auto field = reader.next()) {
    if (field->number == normalizer || field->number == denormalizer)
      check_normalizer(field->content, place);
    if (field->number == trainer) facts.segmentation = read_segmentation(field->content, place);
    if (field->number != pieces) continue;
    const auto piece = read_piece(field->content, place);
    auto wrong = fault(piece);
    if (wrong.empty() && !texts.insert(piece.text).second) wrong = "is repeated";
    if (!wrong.empty())
      throw FormatError(concat(place, ": piece ", number, " ", wrong, "; train another model"));
    unknown_pieces += piece.type == unknown ? 1 : 0;
    facts.is_normal.push_back(piece.type == normal);
    ++number;
  }
  if (number == 0)
    throw FormatError(concat(place, ": holds no pieces; is it a SentencePiece model?"));
  if (unknown_pieces != 1)
    throw FormatError(concat(place, ": has ", unknown_pieces,
                             " unknown pieces instead of one; "
                             "train another model"));
  return facts;
}

}  // namespace dragoman
