#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <sstream>
#include <string>

namespace info_options_test {

using nlohmann::json;
using test::contains;
using test::dragoman;

TEST_CASE("info lists each option with type, range, default and a sentence, in 80 columns",
          "[unit]") {
  const auto result = dragoman({"info", "--options"});
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, contains("  train.max_steps\n"
                                  "    whole number (updates), 1 to 1e12; default: 100000\n"
                                  "    Training ends after this many updates.\n"));
  CHECK_THAT(result.out, contains("    one of post, pre; default: post\n"));
  CHECK_THAT(result.out, contains("model.cross_attention.radius"));
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(line);
    CHECK(line.size() <= 80);
  }
}

TEST_CASE("info lists the options with some letters in their names", "[unit]") {
  const auto result = dragoman({"info", "--options", "train.max"});
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, contains("train.max_seconds"));
  CHECK(result.out.find("data.max_length") == std::string::npos);
  const auto none = dragoman({"info", "--options", "train.maxsteps"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, contains("did you mean train.max_steps?"));
}

TEST_CASE("info lists the options as JSON, with the defaults that training takes", "[unit]") {
  const auto list = json::parse(dragoman({"info", "--options", "--json"}).out);
  const auto defaults = json::parse(dragoman({"info", "--defaults"}).out);
  CHECK(list.size() > 100);
  for (const auto& option : list) {
    std::string pointer = '/' + option.at("key").get<std::string>();
    for (char& c : pointer) c = c == '.' ? '/' : c;
    CAPTURE(pointer);
    CHECK(option.at("default") == defaults.at(json::json_pointer(pointer)));
    CHECK(!option.at("type").get<std::string>().empty());
    CHECK(!option.at("meaning").get<std::string>().empty());
    const bool is_number = option.at("type").get<std::string>().find("number") != std::string::npos;
    CHECK(option.contains("range") == is_number);
    CHECK((option.contains("minimum") || option.contains("exclusive_minimum")) == is_number);
    CHECK((option.contains("maximum") || option.contains("exclusive_maximum")) == is_number);
    CHECK(option.contains("unit") == is_number);
    if (option.at("type") == "whole number")
      for (const char* bound : {"minimum", "maximum", "or"})
        CHECK((!option.contains(bound) || option.at(bound).is_number_integer()));
  }
}

}  // namespace info_options_test
