#include "dragoman/core/stored_json.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

namespace dragoman {

nlohmann::json parse_stored_json(std::string_view text, const std::string& place,
                                 std::string_view remedy) {
  const auto refuse = [&](const std::string& fact) {
    throw FormatError(concat(place, ": is damaged: ", fact, "; ", remedy));
  };
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    // The parser counts the bytes it has read, the wrong one included.
    refuse(error.byte > text.size() ? concat("it ends too early, after ", text.size(), " bytes")
                                    : concat("not JSON at byte ", error.byte));
  } catch (const nlohmann::json::out_of_range&) {
    refuse("a number is too large");
  }
  if (!json.is_object()) refuse("not a JSON object");
  return json;
}

std::string_view stored_json_fact(const nlohmann::json::exception& error) {
  constexpr int key_not_found = 403;  // of the parser's documented numbers
  return error.id == key_not_found ? "a part is missing" : "a part has the wrong type";
}

}  // namespace dragoman
