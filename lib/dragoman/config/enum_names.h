#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

/// Defines the JSON of an enumeration's values, their names: DRAGOMAN_ENUM_NAMES(Enum, {{Enum::a,
/// "a"}, {Enum::b, "b"}}). Any other JSON is read as the first value. It does what the macro of
/// nlohmann/json does, but with a table of constants, which serves after the end of `main`, too.
#define DRAGOMAN_ENUM_NAMES(Enum, ...)                                                          \
  template <typename Json>                                                                      \
  void to_json(Json& json, const Enum& value) {                                                 \
    static constexpr std::pair<Enum, const char*> names[] = __VA_ARGS__;                        \
    const auto* const found =                                                                   \
        std::ranges::find(names, value, &std::pair<Enum, const char*>::first);                  \
    json = (found == std::end(names) ? names : found)->second;                                  \
  }                                                                                             \
  template <typename Json>                                                                      \
  void from_json(const Json& json, Enum& value) {                                               \
    static constexpr std::pair<Enum, const char*> names[] = __VA_ARGS__;                        \
    const auto* const found =                                                                   \
        std::ranges::find_if(names, [&json](const auto& name) { return json == name.second; }); \
    value = (found == std::end(names) ? names : found)->first;                                  \
  }
