#include "dragoman/config/parse.h"
#include "support/catch.h"
#include "support/shared.h"

#include <string>

namespace hostile_config_test {

using namespace dragoman;
using nlohmann::json;

namespace {

/// The message with which the case's file is refused; empty if it was read.
std::string refusal(const json& hostile) {
  const auto file = test::cases("hostile") / hostile.at("files").at(0).get<std::string>();
  try {
    read_run_options(file);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// Whether a terminal could act on a part of `text`.
bool has_control_characters(const std::string& text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  return false;
}

}  // namespace

TEST_CASE("hostile configurations are refused with a message that names file and place",
          "[unit][golden]") {
  int seen = 0;
  const json all = test::read_json(test::cases("hostile/cases.json"));
  for (const auto& hostile : all.at("cases")) {
    if (hostile.at("kind") != "config") continue;
    ++seen;
    const std::string message = refusal(hostile);
    CAPTURE(hostile.at("name").get<std::string>(), message);
    CHECK(!message.empty());
    CHECK(message.size() < 2000);
    CHECK_FALSE(has_control_characters(message));
    for (const auto& name : hostile.at("message_names"))
      CHECK_THAT(message, test::contains(name.get<std::string>()));
    if (hostile.contains("message_where"))
      CHECK_THAT(message, test::contains(hostile.at("message_where").get<std::string>()));
  }
  CHECK(seen > 0);
}

}  // namespace hostile_config_test
