#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/storage/safetensors.h"
#include "support/catch.h"
#include "support/hostile.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

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
  for (auto entry : test::hostile_cases("safetensors")) {
    const auto name = entry.at("name").get<std::string>();
    INFO(name << ": " << entry.value("handling", ""));
    const auto message = refusal(test::hostile_file(entry));
    INFO("message: " << message.value_or("(none)"));
    CHECK(test::allows_end(entry, !message));
    if (!message) continue;
    entry["message_where"] = tensor_in_message(entry.value("message_where", ""));
    test::check_refusal(entry, *message);
    CHECK(message->size() < 600);
  }
}

TEST_CASE("What stands in place of a safetensors file is named", "[golden]") {
  std::set<std::string> seen;
  for (const auto& entry : test::hostile_cases("safetensors")) {
    const auto bytes = dragoman::read_file(test::hostile_file(entry));
    for (const auto& [start, named] : {std::pair{"version https://git-lfs", "Git LFS pointer"},
                                       {"PK\x03\x04", "zip archive"},
                                       {"<!", "web page"},
                                       {"<html", "web page"}})
      if (bytes.starts_with(start)) {
        CAPTURE(entry.at("name").get<std::string>());
        CHECK_THAT(refusal(test::hostile_file(entry)).value_or(""), test::contains(named));
        seen.insert(named);
      }
  }
  CHECK_FALSE(seen.empty());
}

}  // namespace safetensors_hostile_test
