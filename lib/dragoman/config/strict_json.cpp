#include "dragoman/config/strict_json.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

using nlohmann::json;

constexpr std::size_t deepest_level = 32;

std::string line_of(std::string_view text, std::size_t byte) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(byte, text.size()));
  return concat("line ", 1 + std::count(text.begin(), end, '\n'));
}

/// Builds the value from the parser's events, so that what is refused is never built: a repeated
/// key cannot be seen in the finished value, and thousands of levels are not worth building.
class StrictBuilder : public json::json_sax_t {
 public:
  StrictBuilder(std::string_view text, const std::string& place, LargeIntegers large)
      : text_(text), place_(place), large_(large) {}

  json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return add(static_cast<std::int64_t>(value));
    return add_large(static_cast<double>(value), std::to_string(value));
  }
  bool number_float(number_float_t value, const string_t& digits) override {
    // The point is that of the process's locale.
    const bool is_integer = digits.find_first_not_of("-0123456789") == std::string::npos;
    return is_integer ? add_large(value, digits) : add(value);
  }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }

  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    const bool is_repeated = open_.back()->contains(name);
    key_ = std::move(name);
    if (is_repeated)
      throw OptionsError(
          concat(place_, ": ", path(), ": the key is given twice; keep one of them"));
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& token,
                   const json::exception& error) override {
    // The parser counts the bytes it has read, the wrong one included.
    const std::string line = line_of(text_, byte == 0 ? 0 : byte - 1);
    throw OptionsError(concat(place_, ": ", line, ": ", syntax_fact(byte, token, error.id)));
  }

 private:
  std::string syntax_fact(std::size_t byte, const std::string& token, int error_number) const {
    constexpr int number_overflow = 406;  // of the parser's documented numbers
    const std::string shown = printable(token, 80);
    if (error_number == number_overflow)
      return concat(shown, " does not fit a double; write a smaller number");
    if (byte > text_.size()) return "the text ends too early; close its brackets and quotes";
    return concat("not JSON at '", shown, "'; correct it there (or just before)");
  }

  bool add_large(double value, const std::string& digits) {
    if (large_ == LargeIntegers::refuse)
      throw OptionsError(concat(place_, ": ", open_.empty() ? "" : path() + ": ",
                                printable(digits, 40),
                                " does not fit 64 bits; write a smaller number"));
    return add(value);
  }

  json* place_value(json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    json& parent = *open_.back();
    if (parent.is_object()) return &(parent[key_] = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool add(json value) {
    place_value(std::move(value));
    return true;
  }

  bool open(json value) {
    if (open_.size() >= deepest_level)
      throw OptionsError(concat(place_, ": more than ", deepest_level,
                                " levels of brackets; no option lies that deep"));
    if (!open_.empty()) names_.push_back(name());
    open_.push_back(place_value(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    if (!open_.empty()) names_.pop_back();
    return true;
  }

  /// Of the next value: its key, or its place in an array.
  std::string name() const {
    return open_.back()->is_array() ? std::to_string(open_.back()->size()) : key_;
  }

  /// Where the next value lies, within a container: "/model/d_model".
  std::string path() const {
    std::string found;
    for (const auto& container : names_) found += '/' + printable(container, 80);
    return found + '/' + printable(name(), 80);
  }

  std::string_view text_;
  const std::string& place_;
  LargeIntegers large_;
  json root_;
  std::vector<json*> open_;         ///< the containers around the next value, outermost first
  std::vector<std::string> names_;  ///< theirs, but that of the outermost, which has none
  std::string key_;                 ///< of the next value, where that lies in an object
};

/// The parser takes a zero byte for the end of the text and reads past some that is not UTF-8.
void check_bytes(std::string_view text, const std::string& place) {
  const auto invalid = utf8::find_invalid(text);
  if (invalid)
    throw OptionsError(concat(place, ": ", line_of(text, *invalid), ": byte ", *invalid,
                              " is not UTF-8; save the file as UTF-8"));
  const auto zero = text.find('\0');
  if (zero != std::string_view::npos)
    throw OptionsError(
        concat(place, ": ", line_of(text, zero), ": byte ", zero, " is zero; remove it"));
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    throw OptionsError(concat(place, ": is empty; write at least {}"));
}

}  // namespace

json parse_strict_json(std::string_view text, const std::string& place, LargeIntegers large) {
  check_bytes(text, place);
  StrictBuilder builder(text, place, large);
  json::sax_parse(text.begin(), text.end(), &builder);
  return builder.take();
}

}  // namespace dragoman
