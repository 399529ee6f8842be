#include "dragoman/convert/json_settings.h"

#include "dragoman/config/strict_json.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace dragoman {

namespace {

template <typename Value>
bool has_type(const nlohmann::json& value) {
  if constexpr (std::is_same_v<Value, bool>) return value.is_boolean();
  if constexpr (std::is_same_v<Value, std::int64_t>) return value.is_number_integer();
  if constexpr (std::is_same_v<Value, double>) return value.is_number();
  return value.is_string();
}

}  // namespace

nlohmann::json json_entry(const nlohmann::json& object, const std::string& key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nlohmann::json() : *found;
}

nlohmann::json read_json_object(const std::filesystem::path& path) {
  nlohmann::json value;
  try {
    // `transformers` writes 10^30 for a length without a limit.
    value = parse_strict_json(read_regular_file(path), path.string(), LargeIntegers::as_double);
  } catch (const OptionsError& error) {
    throw FormatError(error.what());
  }
  if (!value.is_object())
    throw FormatError(path.string() + ": is not a JSON object; copy it again");
  return value;
}

JsonSettings::JsonSettings(nlohmann::json object, std::string place)
    : object_(std::move(object)), place_(std::move(place)) {}

nlohmann::json JsonSettings::value(const std::string& key) const {
  return json_entry(object_, key);
}

template <typename Value>
Value JsonSettings::typed(const std::string& key, const std::optional<Value>& or_else,
                          const char* type) const {
  const auto found = value(key);
  if (found.is_null() && or_else) return *or_else;
  if (found.is_null()) throw FormatError(concat(place_, ": has no ", key, "; copy the file again"));
  if (!has_type<Value>(found)) refuse(key, concat("it should be ", type));
  return found.template get<Value>();
}

std::int64_t JsonSettings::integer(const std::string& key,
                                   std::optional<std::int64_t> or_else) const {
  return typed(key, or_else, "a whole number");
}

double JsonSettings::number(const std::string& key, std::optional<double> or_else) const {
  return typed(key, or_else, "a number");
}

bool JsonSettings::flag(const std::string& key, std::optional<bool> or_else) const {
  return typed(key, or_else, "true or false");
}

std::string JsonSettings::text(const std::string& key,
                               const std::optional<std::string>& or_else) const {
  return typed(key, or_else, "a text");
}

void JsonSettings::expect(const std::string& key, const nlohmann::json& only) const {
  const auto found = value(key);
  if (!found.is_null() && found != only)
    refuse(key, concat("this program knows only ", only.dump()));
}

void JsonSettings::expect_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : object_.items())
    if (std::ranges::find(keys, key) == keys.end() && !value.is_null() &&
        value != nlohmann::json(false) && value != nlohmann::json(0))
      refuse(key, "this program's models do not support it");
}

void JsonSettings::refuse(const std::string& key, const std::string& why) const {
  throw FormatError(
      concat(place_, ": ", key, " is ", printable(json_entry(object_, key).dump(), 80), ": ", why));
}

}  // namespace dragoman
