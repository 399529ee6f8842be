#include "dragoman/core/error.h"
#include "dragoman/storage/safetensors.h"
#include "support/catch.h"
#include "support/shared.h"

#include <optional>

namespace safetensors_hostile_test {

namespace {

/// The message of a refusal; no value where the file is taken.
std::optional<std::string> refusal(const std::filesystem::path& path) {
  try {
    const dragoman::SafetensorsFile file(path);
    return std::nullopt;
  } catch (const dragoman::Error& error) {
    return error.what();
  }
}

std::string tensor_in_message(const std::string& where) {
  const std::string word = "tensor ";
  return where.starts_with(word) ? "tensor '" + where.substr(word.size()) + "'" : where;
}

}  // namespace

TEST_CASE("Every hostile safetensors file ends as its case says", "[golden]") {
  const auto folder = test::cases("hostile");
  const auto all = test::read_json(folder / "cases.json");
  int cases = 0;
  for (const auto& entry : all.at("cases")) {
    if (entry.at("kind") != "safetensors") continue;
    ++cases;
    const auto name = entry.at("name").get<std::string>();
    INFO(name << ": " << entry.value("handling", ""));
    const auto message = refusal(folder / entry.at("files").at(0).get<std::string>());
    INFO("message: " << message.value_or("(none)"));
    if (entry.at("expect") == "accept") CHECK(!message);
    if (entry.at("expect") != "reject") continue;
    REQUIRE(message);
    for (const auto& word : entry.value("message_names", nlohmann::json::array()))
      CHECK_THAT(*message, test::contains(word.get<std::string>()));
    CHECK_THAT(*message, test::contains(tensor_in_message(entry.value("message_where", ""))));
    CHECK(message->size() < 600);
  }
  CHECK(cases > 0);
}

TEST_CASE("What stands in place of a safetensors file is named", "[golden]") {
  const auto folder = test::cases("hostile") / "safetensors";
  CHECK_THAT(refusal(folder / "is_pointer.safetensors").value(), test::contains("Git LFS pointer"));
  CHECK_THAT(refusal(folder / "is_zip.safetensors").value(), test::contains("zip archive"));
  CHECK_THAT(refusal(folder / "is_html.safetensors").value(), test::contains("web page"));
}

}  // namespace safetensors_hostile_test
