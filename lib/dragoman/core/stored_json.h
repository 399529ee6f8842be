#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace dragoman {

/// An object of JSON that this program stored, such as a checkpoint's state.json.
/// \param place names it in messages
/// \param remedy such as "use another checkpoint"
/// \throws FormatError "PLACE: is damaged: fact; REMEDY"
nlohmann::json parse_stored_json(std::string_view text, const std::string& place,
                                 std::string_view remedy);

/// What `error` says of stored JSON that was read but not understood, without the words of the
/// parser: a fact for a message.
std::string_view stored_json_fact(const nlohmann::json::exception& error);

}  // namespace dragoman
