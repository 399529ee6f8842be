#include "dragoman/storage/safetensors_header.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <nlohmann/json.hpp>

#include <limits>
#include <unordered_set>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t largest_rank = 8;
constexpr std::string_view metadata_name = "__metadata__";

/// Follows the events of nlohmann's parser. The format nests three deep (header, entry, list of
/// numbers), so the place in it is one of these, and anything else is an error at once.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(std::string place) : place_(std::move(place)) {}

  SafetensorsHeader take() { return std::move(header_); }

  bool start_object(std::size_t) override {
    switch (level_) {
      case Level::nothing: level_ = Level::header; return true;
      case Level::header: return begin_member();
      case Level::metadata: fail("values must be strings, found an object");
      case Level::entry: fail_field("an object");
      case Level::list: fail_field("a nested object");
    }
    return false;
  }

  bool end_object() override {
    if (level_ == Level::entry) finish_entry();
    level_ = level_ == Level::header ? Level::nothing : Level::header;
    return true;
  }

  bool key(string_t& name) override {
    if (level_ == Level::header) {
      member_ = name;
      if (!names_.insert(name).second) fail_damaged("is repeated");
    } else if (level_ == Level::metadata) {
      if (header_.metadata.contains(name))
        fail_damaged(concat("key '", printable(name), "' is repeated"));
      field_ = name;
    } else {
      begin_field(name);
    }
    return true;
  }

  bool string(string_t& value) override {
    if (level_ == Level::metadata) {
      header_.metadata[field_] = value;
      return true;
    }
    if (level_ != Level::entry || field_ != "dtype")
      fail_value(concat("the string \"", printable(value, 40), '"'));
    const auto dtype = dtype_named(value);
    if (!dtype)
      throw FormatError(concat(member_place(), ": dtype \"", printable(value, 40),
                               "\" is unknown; known: ", known_dtypes()));
    entry_.dtype = *dtype;
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ != Level::entry || field_ == "dtype") fail_value("a list");
    level_ = Level::list;
    return true;
  }

  bool end_array() override {
    if (field_ == "data_offsets" && offsets_.size() != 2)
      fail_damaged(concat("data_offsets holds ", offsets_.size(), " numbers, expected 2"));
    level_ = Level::entry;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (level_ != Level::list) fail_value(concat("the number ", value));
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      fail_damaged(concat(field_, ": ", value, " is past the range of 64-bit integers"));
    if (field_ == "data_offsets") {
      if (offsets_.size() == 2) fail_damaged("data_offsets holds more than 2 numbers");
      offsets_.push_back(value);
    } else {
      if (entry_.shape.size() == largest_rank)
        fail(concat("shape has more than ", largest_rank, " dimensions"));
      entry_.shape.push_back(static_cast<std::int64_t>(value));
    }
    return true;
  }

  bool number_integer(number_integer_t value) override {
    fail_value(concat("the negative number ", value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    fail_value(concat("the number ", printable(text, 40), ", which is not a 64-bit integer"));
  }
  bool boolean(bool value) override { fail_value(value ? "true" : "false"); }
  bool null() override { fail_value("null"); }
  bool binary(binary_t&) override { fail_value("binary data"); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    throw FormatError(concat(place_, ": the header is not JSON: wrong at byte ",
                             length_word + position,
                             " of the file; it is damaged, or not a "
                             "safetensors file"));
  }

 private:
  enum class Level { nothing, header, metadata, entry, list };

  bool begin_member() {
    if (member_ == metadata_name) {
      level_ = Level::metadata;
    } else {
      level_ = Level::entry;
      entry_ = {};
      entry_.name = member_;
      offsets_.clear();
      fields_seen_.clear();
    }
    return true;
  }

  void begin_field(const std::string& name) {
    field_ = name;
    if (name != "dtype" && name != "shape" && name != "data_offsets")
      fail(concat("field '", printable(name, 40), "' is unknown"));
    if (!fields_seen_.insert(name).second) fail_damaged(concat("field '", name, "' is repeated"));
  }

  void finish_entry() {
    for (const char* const field : {"dtype", "shape", "data_offsets"})
      if (!fields_seen_.contains(field)) fail_damaged(concat("field '", field, "' is missing"));
    entry_.begin = offsets_[0];
    entry_.end = offsets_[1];
    if (entry_.begin > entry_.end)
      fail_damaged(concat("data_offsets begin at ", entry_.begin, " after their end ", entry_.end));
    const auto bytes = tensor_bytes(entry_.shape, entry_.dtype, member_place());
    if (entry_.end - entry_.begin != static_cast<std::uint64_t>(bytes))
      fail_damaged(concat("shape and dtype make ", bytes, " bytes, data_offsets ",
                          entry_.end - entry_.begin));
    header_.entries.push_back(std::move(entry_));
  }

  std::string member_place() const {
    if (member_ == metadata_name) return concat(place_, ": ", metadata_name);
    return concat(place_, ": tensor '", printable(member_), "'");
  }

  [[noreturn]] void fail(const std::string& fact) const {
    throw FormatError(concat(member_place(), ": ", fact));
  }

  [[noreturn]] void fail_damaged(const std::string& fact) const {
    fail(fact + "; the file is damaged, get it again");
  }

  [[noreturn]] void fail_field(std::string_view found) const {
    const auto* expected = field_ == "dtype"   ? "a string"
                           : field_ == "shape" ? "a list of integers >= 0"
                                               : "two integers >= 0";
    fail(concat(field_, " must be ", expected, ", found ", found));
  }

  [[noreturn]] void fail_value(std::string_view found) const {
    switch (level_) {
      case Level::header: fail(concat("must be an object, found ", found));
      case Level::metadata: fail(concat("values must be strings, found ", found));
      default: fail_field(found);
    }
  }

  std::string place_;
  SafetensorsHeader header_;
  Level level_ = Level::nothing;
  std::string member_;  // name in the header
  std::string field_;   // name in the member
  std::unordered_set<std::string> names_;
  std::unordered_set<std::string> fields_seen_;
  SafetensorsHeader::Entry entry_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace

std::int64_t tensor_bytes(const std::vector<std::int64_t>& shape, DType dtype,
                          const std::string& place) {
  std::int64_t bytes = 1;
  bool overflow = false;
  for (const auto dimension : shape) overflow |= __builtin_mul_overflow(bytes, dimension, &bytes);
  overflow |= __builtin_mul_overflow(bytes, size_of(dtype), &bytes);
  if (overflow)
    throw FormatError(concat(place, ": its shape has more bytes than 64 bits can count"));
  return bytes;
}

SafetensorsHeader parse_safetensors_header(std::string_view text, const std::string& place) {
  if (const auto bad = utf8::find_invalid(text))
    throw FormatError(concat(place, ": the header is not UTF-8 at byte ", length_word + *bad,
                             " of the file; it is damaged, or not a safetensors file"));
  if (text.empty() || text.front() != '{')
    throw FormatError(concat(place,
                             ": the header does not begin with '{'; this is not a "
                             "safetensors file"));
  // The parser would take a zero byte for the end of its input, and other blanks for spaces.
  const auto end = text.find_last_not_of(' ') + 1;
  if (text[end - 1] != '}' || text.find('\0') != std::string_view::npos)
    throw FormatError(concat(place, ": the header does not end with '}' and spaces at byte ",
                             length_word + end,
                             " of the file; it is damaged, or not a safetensors "
                             "file"));
  HeaderReader reader(place);
  nlohmann::json::sax_parse(text.substr(0, end), &reader);
  return reader.take();
}

}  // namespace dragoman
