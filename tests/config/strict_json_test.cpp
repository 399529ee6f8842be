#include "dragoman/config/strict_json.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <string>

namespace strict_json_test {

using namespace dragoman;
using nlohmann::json;
using test::contains;

TEST_CASE("strict JSON gives the same value as the plain parser", "[unit]") {
  const std::string text =
      R"({"a": [1, -2, 2.5, 1e-9, true, null, "ä\n"], "b": {"c": {}, "d": [[], [{}]]}, "e": ""})";
  CHECK(parse_strict_json(text, "x") == json::parse(text));
}

TEST_CASE("integers keep all their digits up to the limits of 64 bits", "[unit]") {
  CHECK(parse_strict_json("9223372036854775807", "x").get<std::int64_t>() == INT64_MAX);
  CHECK(parse_strict_json("-9223372036854775808", "x").get<std::int64_t>() == INT64_MIN);
  CHECK_THROWS_WITH(parse_strict_json("{\"n\": 9223372036854775808}", "x"),
                    contains("x: /n: 9223372036854775808 does not fit 64 bits"));
  CHECK_THROWS_AS(parse_strict_json("-9223372036854775809", "x"), OptionsError);
}

TEST_CASE("a key given twice is refused on every level", "[unit]") {
  CHECK_THROWS_WITH(parse_strict_json(R"({"a": 1, "a": 1})", "x"),
                    contains("x: /a: the key is given"));
  CHECK_THROWS_WITH(parse_strict_json(R"({"a": {}, "b": [3, {"c": 1, "c": 2}]})", "x"),
                    contains("x: /b/1/c: the key is given"));
  CHECK_NOTHROW(parse_strict_json(R"({"a": {"b": 1}, "b": {"a": 1}})", "x"));
}

TEST_CASE("a syntax error is reported with its line", "[unit]") {
  CHECK_THROWS_WITH(parse_strict_json("{\n\"a\": 1,\n\"b\": tru\n}", "x"), contains("x: line 3: "));
  CHECK_THROWS_WITH(parse_strict_json("{\n\"a\": [1\n", "x"), contains("ends too early"));
  CHECK_THROWS_WITH(parse_strict_json("{} []", "x"), contains("x: line 1: not JSON"));
}

TEST_CASE("thirty-two levels are read and thirty-three are refused", "[unit]") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK_NOTHROW(parse_strict_json(nested(32), "x"));
  CHECK_THROWS_WITH(parse_strict_json(nested(33), "x"), contains("more than 32 levels"));
}

TEST_CASE("a zero byte does not hide what follows it", "[unit]") {
  CHECK_THROWS_WITH(parse_strict_json(std::string("{}\0{", 4), "x"), contains("byte 2 is zero"));
}

TEST_CASE("messages never repeat control characters or long text", "[unit]") {
  try {
    parse_strict_json("{\"" + std::string(5000, 'k') + "\x1b\": ", "x");
    FAIL("was read");
  } catch (const OptionsError& error) {
    const std::string message = error.what();
    CHECK(message.size() < 300);
    CHECK(message.find('\x1b') == std::string::npos);
  }
}

}  // namespace strict_json_test
