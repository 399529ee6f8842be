#include "app/small_run.h"
#include "support/catch.h"

#include <nlohmann/json.hpp>

#include <fstream>
#include <regex>
#include <string>

namespace score_test {

using test::dragoman;
using test::small_run;

TEST_CASE("score names the characters that the vocabulary lacks, on each side", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const auto source = write("s", "a b c\na \xE4\xBD\xA0\nb \xE5\xA5\xBD\n");
  const auto target = write("t", "A B C\nA\nB \xE4\xBD\xA0\n");
  const auto warnings = [&](const std::string& from, const std::string& to) {
    const auto result =
        dragoman({"score", "-m", small_run().string(), "--source", from, "--target", to});
    CHECK(result.exit_code == 0);
    CHECK(test::split_lines(result.out).size() == 3);
    return result.err;
  };
  const auto both = warnings(source, target);
  CHECK_THAT(both, test::contains(source + ": line 2: U+4F60 '\xE4\xBD\xA0' is not in the "));
  CHECK_THAT(both, test::contains(source + ": 2 of 3 lines have characters the vocabulary lacks"));
  CHECK_THAT(both, test::contains(target + ": line 3: U+4F60 '\xE4\xBD\xA0' is not in the "));
  CHECK(both.find(target + ": 1 of 3") == std::string::npos);
  const auto known = write("known", "A B C\nA\nB\n");
  CHECK(warnings(known, known).find("vocabulary") == std::string::npos);
}

TEST_CASE("scores have six decimals, those of tokens too", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "s") << "a b c\nd\n";
  std::ofstream(folder / "t") << "A B C D E F G H I J K L M N O P Q R S T U V W X\nD E\n";
  const auto result =
      dragoman({"score", "-m", small_run().string(), "--source", (folder / "s").string(),
                "--target", (folder / "t").string(), "--per-token"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const std::string number = "-\\d+\\.\\d{6}";
  const std::regex form(number + "\t\\S+:" + number + "( \\S+:" + number + ")*");
  for (const auto& line : test::split_lines(result.out)) {
    CAPTURE(line);
    CHECK(std::regex_match(line, form));
  }
}

TEST_CASE("the score of a pair is the sum of its tokens' log-probabilities", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "s") << "a b c\nd\n";
  std::ofstream(folder / "t") << "A B C\nD E\n";
  const auto result =
      dragoman({"score", "-m", small_run().string(), "--source", (folder / "s").string(),
                "--target", (folder / "t").string(), "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto lines = test::split_lines(result.out);
  CHECK(lines.size() == 2);
  for (const auto& line : lines) {
    const auto record = nlohmann::json::parse(line);
    double sum = 0.0;
    for (const double part : record.at("token_log_probs")) sum += part;
    CHECK(record.at("log_prob").get<double>() == test::Approx(sum));
    CHECK(record.at("tokens").back() == "</s>");
  }
  std::ofstream(folder / "t", std::ios::app) << "one more\n";
  CHECK(dragoman({"score", "-m", small_run().string(), "--source", (folder / "s").string(),
                  "--target", (folder / "t").string()})
            .exit_code == 1);
}

TEST_CASE("a pair that no model can read is refused before any score is printed", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::string endless;
  for (int i = 0; i < 40000; ++i) endless += "ba ";
  std::ofstream(folder / "s") << "b\nb\nb\n";
  std::ofstream(folder / "t") << "B\n" << endless << "\nB\n";
  const auto result = dragoman({"score", "-m", small_run().string(), "--source",
                                (folder / "s").string(), "--target", (folder / "t").string()});
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, test::contains("line 2: the target has "));
}

}  // namespace score_test
