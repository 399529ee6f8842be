#include "dragoman/config/parse.h"
#include "support/catch.h"
#include "support/hostile.h"

#include <optional>
#include <string>

namespace hostile_config_test {

using namespace dragoman;

namespace {

/// The message with which the case's file is refused; no value if it was read.
std::optional<std::string> refusal(const nlohmann::json& hostile) {
  try {
    read_run_options(test::hostile_file(hostile));
  } catch (const Error& error) {
    return error.what();
  }
  return std::nullopt;
}

/// Whether a terminal could act on a part of `text`.
bool has_control_characters(const std::string& text) {
  for (const char c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  return false;
}

}  // namespace

TEST_CASE("hostile configurations end as their cases say, refused ones by file and place",
          "[unit][golden]") {
  for (const auto& hostile : test::hostile_cases("config")) {
    const auto message = refusal(hostile);
    CAPTURE(hostile.at("name").get<std::string>(), message.value_or("(none)"));
    CHECK(test::allows_end(hostile, !message.has_value()));
    if (!message) continue;
    CHECK_FALSE(message->empty());
    CHECK(message->size() < 2000);
    CHECK_FALSE(has_control_characters(*message));
    test::check_refusal(hostile, *message);
  }
}

}  // namespace hostile_config_test
