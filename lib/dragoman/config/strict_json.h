#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace dragoman {

/// What becomes of an integer beyond 64 bits.
enum class LargeIntegers { refuse, as_double };

/// Reads one JSON value, and refuses what readers of JSON understand in different ways: text that
/// is not UTF-8, zero bytes, repeated keys, numbers that do not fit, more than 32 levels, anything
/// after the value.
/// \param place names the text in messages, such as the file.
/// \throws OptionsError "PLACE: line N: fact; remedy" or "PLACE: /pointer: fact; remedy"
nlohmann::json parse_strict_json(std::string_view text, const std::string& place,
                                 LargeIntegers large = LargeIntegers::refuse);

}  // namespace dragoman
