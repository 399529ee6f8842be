#include "app/small_run.h"
#include "support/catch.h"
#include "support/shared.h"

#include <algorithm>

namespace translate_test {

namespace {

using test::dragoman;
using test::small_run;

std::vector<std::string> translate(const std::vector<std::string>& more) {
  return test::with({"translate", "-m", small_run().string(), "--max-length", "12"}, more);
}

auto lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("source text ends as the hostile cases say", "[e2e][slow]") {
  if (!test::have_shared("hostile/cases.json")) return;
  const auto root = test::shared_folder() / "hostile";
  const auto all = test::read_json(root / "cases.json");
  const test::TemporaryDirectory folder;
  int seen = 0;
  for (const auto& hostile : all.at("cases")) {
    if (hostile.at("kind") != "text-source") continue;
    const std::string name = hostile.at("name");
    ++seen;
    const auto file = root / hostile.at("files").at(0);
    const auto text = test::content_of(file);
    const auto expected = hostile.at("lines").is_null() ? lines_of(text) + (!text.empty() && text.back() != '\n')
                                                        : hostile.at("lines").get<std::ptrdiff_t>();
    for (const char* beam : {"1", "5"}) {
      CAPTURE(name, beam);
      const auto from_file = dragoman(translate({"-i", file.string(), "--beam-size", beam}));
      CAPTURE(from_file.err);
      CHECK(from_file.exit_code == 0);
      CHECK(lines_of(from_file.out) == expected);
      CHECK(from_file.max_resident_kb < 1 << 20);
      const auto from_pipe = dragoman(translate({"--beam-size", beam, "--batch-lines", "16"}), {.text = text});
      CHECK(from_pipe.exit_code == 0);
      CHECK(from_pipe.out == from_file.out);
      const auto output = folder / "out";
      const auto to_file =
          dragoman(translate({"-i", file.string(), "-o", output.string(), "--beam-size", beam, "--batch-lines", "1"}));
      CHECK(to_file.exit_code == 0);
      CHECK(test::content_of(output) == from_file.out);
    }
  }
  CHECK(seen > 10);
}

TEST_CASE("empty lines stay empty and order is kept", "[e2e]") {
  const auto together = dragoman(translate({}), {.text = "a b c\n\n  \nd e f g\na\n"});
  REQUIRE(together.exit_code == 0);
  std::string single;
  for (const char* line : {"a b c\n", "\n", "  \n", "d e f g\n", "a\n"})
    single += dragoman(translate({}), {.text = line}).out;
  CHECK(together.out == single);
}

TEST_CASE("an n-best list has number, text and falling scores", "[e2e]") {
  const auto result = dragoman(translate({"--n-best", "3", "--beam-size", "4"}), {.text = "a b\nc d e\n"});
  REQUIRE(result.exit_code == 0);
  std::istringstream lines(result.out);
  double before = 0.0;
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto first = line.find(" ||| "), second = line.rfind(" ||| ");
    REQUIRE(first != second);
    CHECK(line.substr(0, first) == std::to_string(count / 3));
    const double score = std::stod(line.substr(second + 5));
    if (count % 3 > 0) CHECK(score <= before);
    before = score;
  }
  CHECK(count == 6);
}

TEST_CASE("JSON lines hold tokens, score, alignment and flags", "[e2e]") {
  const auto result = dragoman(translate({"--json"}), {.text = "a b\n"});
  REQUIRE(result.exit_code == 0);
  const auto record = nlohmann::json::parse(result.out);
  for (const char* key : {"text", "tokens", "score", "alignment", "truncated", "looping", "split", "cut"})
    CHECK(record.contains(key));
}

TEST_CASE("with and without cache the translations are the same", "[e2e]") {
  const std::string text = "a b c\nd e f g h\n";
  CHECK(dragoman(translate({"--scores"}), {.text = text}).out ==
        dragoman(translate({"--scores", "--no-cache"}), {.text = text}).out);
}

TEST_CASE("a missing source is named and leaves no output", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto result = dragoman(translate({"-i", (folder / "none.txt").string(), "-o", (folder / "out").string()}));
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("none.txt") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("the score of a pair is the sum of its tokens' log-probabilities", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "s") << "a b c\nd\n";
  std::ofstream(folder / "t") << "A B C\nD E\n";
  const auto result = dragoman({"score", "-m", small_run().string(), "--source", (folder / "s").string(), "--target",
                                (folder / "t").string(), "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  std::istringstream lines(result.out);
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto record = nlohmann::json::parse(line);
    double sum = 0.0;
    for (const double part : record.at("token_log_probs")) sum += part;
    CHECK(record.at("log_prob").get<double>() == test::Approx(sum));
    CHECK(record.at("tokens").back() == "</s>");
  }
  CHECK(count == 2);
  std::ofstream(folder / "t", std::ios::app) << "one more\n";
  CHECK(dragoman({"score", "-m", small_run().string(), "--source", (folder / "s").string(), "--target",
                  (folder / "t").string()}).exit_code == 1);
}

}  // namespace translate_test
