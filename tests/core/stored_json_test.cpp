#include "dragoman/core/stored_json.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <string>

namespace stored_json_test {

using namespace dragoman;

namespace {

std::string message_of(const std::string& text) {
  try {
    parse_stored_json(text, "state.json", "use another checkpoint");
  } catch (const FormatError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("an object that was stored is read back", "[unit]") {
  CHECK(parse_stored_json(R"({"step": 7})", "state.json", "use another checkpoint").at("step") ==
        7);
}

TEST_CASE("damaged JSON is refused in plain words, with the place of the damage", "[unit]") {
  CHECK(message_of(R"({"step": ?})") ==
        "state.json: is damaged: not JSON at byte 10; use another checkpoint");
  CHECK(message_of(R"({"step")") ==
        "state.json: is damaged: it ends too early, after 7 bytes; use another checkpoint");
  CHECK(message_of("") ==
        "state.json: is damaged: it ends too early, after 0 bytes; use another checkpoint");
  CHECK(message_of(R"({"step": 1e999})") ==
        "state.json: is damaged: a number is too large; use another checkpoint");
  CHECK(message_of("[]") == "state.json: is damaged: not a JSON object; use another checkpoint");
}

TEST_CASE("what is missing or of another type is told without the parser's words", "[unit]") {
  const nlohmann::json json = {{"step", "seven"}};
  try {
    json.at("epoch");
    FAIL();
  } catch (const nlohmann::json::exception& error) {
    CHECK(stored_json_fact(error) == "a part is missing");
  }
  try {
    json.at("step").get<int>();
    FAIL();
  } catch (const nlohmann::json::exception& error) {
    CHECK(stored_json_fact(error) == "a part has the wrong type");
  }
}

}  // namespace stored_json_test
