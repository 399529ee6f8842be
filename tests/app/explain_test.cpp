#include "app/small_run.h"
#include "support/catch.h"
#include "support/program.h"

#include <nlohmann/json.hpp>

#include <sstream>

namespace explain_test {

namespace {

using test::dragoman;

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("each example that explain lists can be walked through", "[e2e]") {
  const auto list = dragoman({"explain"});
  REQUIRE(list.exit_code == 0);
  std::istringstream lines(list.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto name = line.substr(0, line.find(' '));
    CAPTURE(name);
    const auto example = dragoman({"explain", name});
    CHECK(example.exit_code == 0);
    CHECK(has_text(example.out, line.substr(line.find_first_not_of(' ', name.size()))));
    CHECK_FALSE(
        nlohmann::json::parse(dragoman({"explain", name, "--json"}).out).at("steps").empty());
  }
  CHECK(count > 15);
}

TEST_CASE("a wrong print is shown with the right number and the difference", "[e2e]") {
  const auto result = dragoman({"explain", "three-words"});
  CHECK(has_text(result.out,
                 "  weights = softmax(scaled), row by row\n      0.2327  0.3837  0.3837\n"));
  CHECK(has_text(result.out, "    as printed\n      0.155  0.422  0.422\n"));
  CHECK(has_text(result.out, "the printed value is off by up to 0.0776965"));
}

TEST_CASE("an unknown example ends with exit code 2 and the known names", "[e2e]") {
  const auto result = dragoman({"explain", "four-words"});
  CHECK(result.exit_code == 2);
  CHECK(has_text(result.err, "three-words"));
  CHECK(dragoman({"explain", "--json"}).exit_code == 2);
  CHECK(dragoman({"explain", "--digits", "3"}).exit_code == 2);
  CHECK(dragoman({"explain", "--columns", "3"}).exit_code == 2);
  CHECK(dragoman({"explain", "three-words", "--json", "--digits", "3"}).exit_code == 2);
}

TEST_CASE(
    "explain refuses a blank or an endless sentence, and warns of one longer than the model was "
    "trained on",
    "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = test::train_small_run(folder, {"data.max_length=20"}).string();
  for (const char* blank : {"", "   ", "\t"}) {
    const auto refused = dragoman({"explain", "-m", run, blank});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, test::contains("explain: -m needs a sentence"));
  }
  std::string endless;
  for (int i = 0; i < 700; ++i) endless += "a b ";
  const auto too_long = dragoman({"explain", "-m", run, endless});
  CHECK(too_long.exit_code == 2);
  CHECK_THAT(too_long.err, test::contains("at most 1024 is shown; shorten it"));
  const auto warning_of = [&](const std::vector<std::string>& more) {
    const auto result = dragoman(test::with({"explain", "-m", run}, more));
    CHECK(result.exit_code == 0);
    return result.err;
  };
  CHECK_THAT(warning_of({"a b c d e f g h! A b c d e f g h!", "--kind", "decoder"}),
             test::contains("sentence: the pair has ") &&
                 test::contains("(data.max_length 20); it was translated sentence by sentence"));
  CHECK_THAT(warning_of({"a b c d e f g h i j k l m n"}),
             test::contains("; its attention may be unlike that of shorter ones"));
  CHECK_THAT(warning_of({"a b c"}), !test::contains("data.max_length"));
}

}  // namespace explain_test
