#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

/// An object's entry; null if there is none, or if it is no object.
nlohmann::json json_entry(const nlohmann::json& object, const std::string& key);

/// A JSON file that must be an object. \throws DataError if it is missing; FormatError
nlohmann::json read_json_object(const std::filesystem::path& path);

/// The options that another program has written as a JSON object. A null counts as missing.
class JsonSettings {
 public:
  /// \param place of the object, for messages
  JsonSettings(nlohmann::json object, std::string place);

  /// Null if there is none.
  nlohmann::json value(const std::string& key) const;

  /// \throws FormatError if it is missing without `or_else`, or of another type
  std::int64_t integer(const std::string& key, std::optional<std::int64_t> or_else = {}) const;
  double number(const std::string& key, std::optional<double> or_else = {}) const;
  bool flag(const std::string& key, std::optional<bool> or_else = {}) const;
  std::string text(const std::string& key, const std::optional<std::string>& or_else = {}) const;

  /// \throws FormatError if it differs from the only value that can be expressed
  void expect(const std::string& key, const nlohmann::json& only) const;
  /// \throws FormatError naming an option that is none of `keys`, unless it is switched off: null,
  ///     false or 0
  void expect_only(std::initializer_list<std::string_view> keys) const;

  /// \throws FormatError "PLACE: KEY is VALUE: why"
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

  const std::string& place() const { return place_; }

 private:
  template <typename Value>
  Value typed(const std::string& key, const std::optional<Value>& or_else, const char* type) const;

  nlohmann::json object_;
  std::string place_;
};

}  // namespace dragoman
