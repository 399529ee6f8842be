#include "app/teacher.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

namespace synthetic_languages_test {

using test::dragoman;
using test::Teacher;
namespace fs = std::filesystem;

TEST_CASE("a synthetic corpus has the languages of the others", "[e2e]") {
  const Teacher teacher;
  const auto run = teacher.in("tagged");
  const auto made =
      dragoman(teacher.command("distill", run,
                               {"data.target_tag=[\"CA\"]", "data.source_tag=[\"sm\"]",
                                "--keep-original", "--monolingual", teacher.small}));
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  CHECK_THAT(made.err, !test::contains("the synthetic text gets no tag"));
  const auto data = nlohmann::json::parse(test::content_of(fs::path(run) / "config.json"))["data"];
  CHECK(data["target_tag"] == nlohmann::json({"CA", "CA"}));
  CHECK(data["source_tag"] == nlohmann::json({"sm", "sm"}));
}

TEST_CASE("a synthetic corpus has that of several languages which the teacher translated into",
          "[e2e]") {
  const Teacher teacher({"data.target_tag=[\"CA\"]"});
  const auto run = teacher.in("tagged");
  auto arguments = teacher.command("distill", run,
                                   {"data.target_tag=[\"XX\", \"CA\"]", "--keep-original",
                                    "--monolingual", teacher.small, "--to", "CA"});
  for (const auto& file : {teacher.small, teacher.capital})
    arguments.insert(std::ranges::find(arguments, file), file);
  const auto made = dragoman(arguments);
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  const auto data = nlohmann::json::parse(test::content_of(fs::path(run) / "config.json"))["data"];
  CHECK(data["target_tag"] == nlohmann::json({"XX", "CA", "CA"}));
}

TEST_CASE("back-translations have the language that the reverse model was told to read", "[e2e]") {
  const Teacher reverse({"data.source_tag=[\"sm\"]"});
  const auto run = reverse.in("run");
  auto arguments = reverse.command(
      "back-translate", run,
      {"data.target_tag=[\"XX\", \"sm\"]", "--monolingual", reverse.small, "--from", "sm"});
  std::swap(*(std::ranges::find(arguments, reverse.small)),
            *(std::ranges::find(arguments, reverse.capital)));
  for (const auto& file : {reverse.small, reverse.capital})
    arguments.insert(std::ranges::find(arguments, file), file);
  const auto made = dragoman(arguments);
  CAPTURE(made.err);
  REQUIRE(made.exit_code == 0);
  const auto data = nlohmann::json::parse(test::content_of(fs::path(run) / "config.json"))["data"];
  CHECK(data["target_tag"] == nlohmann::json({"XX", "sm", "sm"}));
}

TEST_CASE("the target language of a synthetic text is its own, or refused if it is not known",
          "[e2e]") {
  const Teacher teacher({"data.target_tag=[\"CA\"]"});
  const auto distill = [&](const std::vector<std::string>& more) {
    return dragoman(test::with(
        {"distill", "-m", teacher.path, "--preset", "tiny", "-o", teacher.in("student"),
         "--dump-config", "-", "--train-source", teacher.small, "--train-target", teacher.capital},
        more));
  };
  const auto tags = [&](const std::vector<std::string>& more) {
    const auto result = distill(more);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out).at("data").at("target_tag");
  };
  using nlohmann::json;
  const std::vector<std::string> beside_french{"--to", "CA", "--keep-original", "--set",
                                               "data.target_tag=[\"fr\"]"};
  const auto refused = distill(beside_french);
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err,
             test::contains("but the synthetic text is in CA; name its tag by --target-tag"));
  CHECK(tags(test::with(beside_french, {"--target-tag", "CA"})) == json({"fr", "CA"}));
  CHECK(tags({"--to", "CA", "--target-tag", "CA"}) == json({"CA"}));
  CHECK(tags({"--to", "CA"}) == json::array());
  const auto invalid = distill({"--target-tag", "C A"});
  CHECK(invalid.exit_code == 2);
  CHECK_THAT(invalid.err, test::contains("distill --target-tag: C A has other characters"));
}

TEST_CASE("a student that begins with a run of several languages gets the teacher's tag", "[e2e]") {
  const Teacher teacher({"data.target_tag=[\"CA\"]"});
  const auto start = [&](const std::vector<std::string>& more) {
    const auto result =
        dragoman(test::with({"distill", "-m", teacher.path, "--start-from", teacher.path, "-o",
                             teacher.in("student"), "--dump-config", "-"},
                            more));
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out).at("data").at("target_tag");
  };
  CHECK(start({"--to", "CA"}) == nlohmann::json({"CA"}));
  CHECK(start({}) == nlohmann::json({"CA"}));
}

}  // namespace synthetic_languages_test
