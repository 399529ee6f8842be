#pragma once

#include "dragoman/core/utf8.h"
#include "support/catch.h"
#include "support/process.h"
#include "support/shared.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace test {

/// The cases of hostile/cases.json of one kind, in their order; fails if there are none, or if a
/// case has a kind that no test takes.
inline std::vector<nlohmann::json> hostile_cases(const std::string& kind) {
  // "http" is for servers, and this project has none.
  static const std::set<std::string> kinds = {
      "text-parallel", "text-source", "score", "safetensors", "config", "spm", "http"};
  std::vector<nlohmann::json> chosen;
  const auto all = read_json(cases("hostile") / "cases.json");
  for (const auto& one : all.at("cases")) {
    const auto of_kind = one.at("kind").get<std::string>();
    CAPTURE(of_kind);
    REQUIRE(kinds.contains(of_kind));
    if (of_kind == kind) chosen.push_back(one);
  }
  CAPTURE(kind);
  REQUIRE_FALSE(chosen.empty());
  return chosen;
}

/// A file of a case.
inline std::filesystem::path hostile_file(const nlohmann::json& one, std::size_t index = 0) {
  return cases("hostile") / one.at("files").at(index).get<std::string>();
}

/// Whether a case allows this end of a program.
inline bool allows_exit(const nlohmann::json& one, int code) {
  const auto codes = one.at("exit").get<std::vector<int>>();
  return std::count(codes.begin(), codes.end(), code) == 1;
}

/// Whether a case allows that its files are taken, or refused.
inline bool allows_end(const nlohmann::json& one, bool taken) {
  const auto expected = one.at("expect").get<std::string>();
  return expected == "either" || expected == (taken ? "accept" : "reject");
}

/// What holds for every end of the program: memory is bounded, messages are text, and a refusal
/// prints nothing else.
inline void check_program_end(const ProcessResult& result) {
  CHECK_FALSE(result.signalled);
  CHECK(result.max_resident_kb < 1 << 20);
  CHECK(std::ranges::none_of(result.err, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n') || byte == 0x7F;
  }));
  CHECK_FALSE(dragoman::utf8::find_invalid(result.err));
  if (result.exit_code != 0) CHECK(result.out.empty());
}

/// Compares the message of a refusal with what its case demands: the place in these words, and one
/// of the names; where the numbers of lines differ, both numbers in any words, and all names.
inline void check_refusal(const nlohmann::json& one, const std::string& message) {
  CAPTURE(message);
  const auto place = one.value("message_where", "");
  std::smatch lines;
  const bool mismatch = std::regex_match(place, lines, std::regex("([0-9]+) and ([0-9]+)"));
  // "line 3" is not "line 39".
  const auto at = message.find(place);
  CHECK((mismatch || at != std::string::npos));
  if (!mismatch && !place.empty() && at != std::string::npos)
    CHECK_FALSE((std::isdigit(static_cast<unsigned char>(place.back())) != 0 &&
                 std::isdigit(static_cast<unsigned char>(message[at + place.size()])) != 0));
  for (std::size_t i = 1; i < lines.size(); ++i)
    CHECK(std::regex_search(message, std::regex("(^|[^0-9])" + lines[i].str() + "($|[^0-9])")));
  const auto names = one.value("message_names", std::vector<std::string>());
  CHECK_FALSE((one.at("expect") == "reject" && names.empty() && place.empty()));
  const auto said = std::count_if(names.begin(), names.end(), [&](const std::string& name) {
    return message.find(name) != std::string::npos;
  });
  CAPTURE(names, said);
  CHECK((mismatch ? said == std::ssize(names) : said > 0 || names.empty()));
}

}  // namespace test
