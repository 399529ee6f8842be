#include "app/small_run.h"
#include "support/catch.h"
#include "support/hostile.h"

#include <algorithm>
#include <sstream>

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
  const test::TemporaryDirectory folder;
  for (const auto& hostile : test::hostile_cases("text-source")) {
    const std::string name = hostile.at("name");
    const auto file = test::hostile_file(hostile);
    const auto text = test::content_of(file);
    const auto expected = hostile.at("lines").is_null()
                              ? lines_of(text) + (!text.empty() && text.back() != '\n')
                              : hostile.at("lines").get<std::ptrdiff_t>();
    for (const char* beam : {"1", "5"}) {
      CAPTURE(name, beam);
      const auto from_file = dragoman(translate({"-i", file.string(), "--beam-size", beam}));
      CAPTURE(from_file.err);
      CHECK(from_file.exit_code == 0);
      CHECK(lines_of(from_file.out) == expected);
      CHECK(from_file.max_resident_kb < 1 << 20);
      const auto from_pipe =
          dragoman(translate({"--beam-size", beam, "--batch-lines", "16"}), {.text = text});
      CHECK(from_pipe.exit_code == 0);
      CHECK(from_pipe.out == from_file.out);
      const auto output = folder / "out";
      const auto to_file = dragoman(translate(
          {"-i", file.string(), "-o", output.string(), "--beam-size", beam, "--batch-lines", "1"}));
      CHECK(to_file.exit_code == 0);
      CHECK(test::content_of(output) == from_file.out);
    }
  }
}

TEST_CASE("empty lines stay empty and order is kept", "[e2e]") {
  const auto together = dragoman(translate({}), {.text = "a b c\n\n  \nd e f g\na\n"});
  REQUIRE(together.exit_code == 0);
  std::string single;
  for (const char* line : {"a b c\n", "\n", "  \n", "d e f g\n", "a\n"})
    single += dragoman(translate({}), {.text = line}).out;
  CHECK(together.out == single);
}

TEST_CASE("characters that the vocabulary lacks are named once and counted", "[e2e]") {
  const auto known = dragoman(translate({}), {.text = "a b c\n"});
  CHECK(known.err.find("vocabulary") == std::string::npos);
  const auto one = dragoman(translate({}), {.text = "a b c\na \xE4\xBD\xA0 b\n"});
  CHECK_THAT(one.err, test::contains("line 2: U+4F60 '\xE4\xBD\xA0' is not in the vocabulary"));
  CHECK(one.err.find("lines have characters") == std::string::npos);
  const auto two = dragoman(translate({"--json"}), {.text = "a\n\xE5\xA5\xBD\nb\n\xE4\xBD\xA0\n"});
  CHECK(two.err.find("U+4F60") == std::string::npos);
  CHECK_THAT(
      two.err,
      test::contains("2 of 4 lines have characters the vocabulary lacks (first: line 2, U+597D)"));
  std::istringstream lines(two.out);
  std::string line;
  for (const bool unknown : {false, true, false, true}) {
    REQUIRE(static_cast<bool>(std::getline(lines, line)));
    CHECK(nlohmann::json::parse(line).at("unknown_characters") == unknown);
  }
}

TEST_CASE("an unknown piece is printed as a source piece where --copy-unknown asks for it",
          "[e2e]") {
  const std::string text = "a b c\nd e f g\n", unknown = "\xE2\x81\x87";
  const auto samples = [&](const std::vector<std::string>& more) {
    const auto result =
        dragoman(translate(test::with({"--sample", "--n-best", "200"}, more)), {.text = text});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    std::vector<std::string> lines;
    std::istringstream stream(result.out);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  };
  const auto kept = samples({"--set", "search.unknown=keep"}), copied = samples({"--copy-unknown"});
  REQUIRE(kept.size() == 400);
  REQUIRE(copied.size() == kept.size());
  int with_unknown = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    CAPTURE(kept[i], copied[i]);
    CHECK(copied[i].find(unknown) == std::string::npos);
    const auto place = kept[i].find(unknown);
    CHECK((copied[i] == kept[i]) == (place == std::string::npos));
    if (place == std::string::npos) continue;
    ++with_unknown;
    CHECK(copied[i].substr(copied[i].rfind(' ')) == kept[i].substr(kept[i].rfind(' ')));
  }
  CHECK(with_unknown > 0);
}

TEST_CASE("a target prefix with a character that the vocabulary lacks is named", "[e2e]") {
  const auto result =
      dragoman(translate({"--inline-prefix"}), {.text = "a b\nc d ||| \xE4\xBD\xA0\n"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, test::contains("line 2: the target prefix has U+4F60"));
}

TEST_CASE("a setting that changes no translation is refused", "[e2e]") {
  for (const char* setting : {"train.max_steps=3", "tokenizer.vocab_size=9", "data.max_ratio=2"}) {
    const auto result = dragoman(translate({"--set", setting}), {.text = "a\n"});
    CAPTURE(setting, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains("changes no translation"));
  }
}

TEST_CASE("a dash is standard input and standard output, once", "[e2e]") {
  const test::TemporaryDirectory folder;
  const std::string text = "a b c\nd e\n";
  const auto plain = dragoman(translate({}), {.text = text});
  const auto dashes =
      dragoman(translate({"-i", "-", "-o", "-"}), {.text = text, .directory = folder.path()});
  CHECK(dashes.exit_code == 0);
  CHECK(dashes.out == plain.out);
  CHECK(std::filesystem::is_empty(folder.path()));
  std::ofstream(folder / "s") << text;
  const auto prefixes = dragoman(translate({"-i", (folder / "s").string(), "--target-prefix", "-"}),
                                 {.text = "D\nA\n"});
  CHECK(prefixes.exit_code == 0);
  CHECK(prefixes.out.starts_with("D"));
  const auto refused = [](const std::vector<std::string>& command, const std::string& message) {
    const auto result = dragoman(command, {.text = "a\n"});
    CAPTURE(message, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains(message));
  };
  const auto run = small_run().string();
  refused(translate({"--target-prefix", "-"}),
          "--target-prefix -: standard input is read by --input already");
  refused({"score", "-m", run, "--source", "-", "--target", "-"},
          "--target -: standard input is read by --source");
  refused({"evaluate", "--hypothesis", "-", "--reference", "-"},
          "--reference -: standard input is read by --hypothesis");
  refused({"evaluate", "-m", run, "--source", "-", "--reference", "x", "--against", "-"},
          "--against -: standard input");
  refused({"analyze", "heads", "-m", run, "--source", "-", "--target", "-"},
          "--target -: standard input");
  refused({"train", "--preset", "tiny", "-o", "x", "--train-source", "-", "--train-target", "x"},
          "data.train_source: - is standard input");
  refused({"tokenize", "train", "-i", "-", "-o", "x"}, "standard input cannot be");
  refused({"bench", "rnn", "--plot", "-"}, "--plot: standard output holds the results");
  const auto pair = dragoman(
      {"score", "-m", run, "--source", "-", "--target", (folder / "s").string()}, {.text = text});
  CHECK(pair.exit_code == 0);
  CHECK(lines_of(pair.out) == 2);
}

TEST_CASE("an n-best list has number, text and falling scores", "[e2e]") {
  const auto result =
      dragoman(translate({"--n-best", "3", "--beam-size", "4"}), {.text = "a b\nc d e\n"});
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
  for (const char* key :
       {"text", "tokens", "score", "alignment", "truncated", "looping", "split", "cut"})
    CHECK(record.contains(key));
}

TEST_CASE("each entry of an n-best list says whether the length limit stopped it", "[e2e]") {
  const auto result = dragoman({"translate", "-m", small_run().string(), "--json", "--n-best", "4",
                                "--beam-size", "4", "--max-length", "1"},
                               {.text = "a b\nc d e\nf g h i\n"});
  REQUIRE(result.exit_code == 0);
  std::size_t stopped = 0;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    CHECK(record.at("truncated") == record.at("n_best").at(0).at("truncated"));
    for (const auto& one : record.at("n_best")) {
      // EOS takes the only place of a hypothesis that ended.
      const auto truncated = one.at("truncated").get<bool>();
      CHECK(truncated == (one.at("tokens").size() == 1));
      CHECK(one.at("tokens").size() <= 1);
      stopped += truncated ? 1 : 0;
    }
  }
  CHECK(stopped > 0);
}

TEST_CASE("with and without cache the translations are the same", "[e2e]") {
  const std::string text = "a b c\nd e f g h\n";
  const auto records = [&](const std::vector<std::string>& more) {
    std::vector<nlohmann::json> lines;
    std::istringstream out(dragoman(translate(more), {.text = text}).out);
    for (std::string line; std::getline(out, line);) lines.push_back(nlohmann::json::parse(line));
    return lines;
  };
  const auto cached = records({"--json"}), whole = records({"--json", "--no-cache"});
  REQUIRE(cached.size() == 2);
  REQUIRE(whole.size() == 2);
  for (std::size_t i = 0; i < cached.size(); ++i) {
    CHECK(cached[i]["tokens"] == whole[i]["tokens"]);
    CHECK(cached[i]["score"].get<double>() ==
          test::Approx(whole[i]["score"].get<double>()).epsilon(1e-5));
  }
}

TEST_CASE("gzip data on standard input is refused with the way to unpack it", "[e2e]") {
  const auto result = dragoman(translate({}), {.text = "\x1F\x8B\x08"});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, test::contains("standard input: is gzip data; pipe it through: gzip -dc"));
}

TEST_CASE("a missing source is named and leaves no output", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto result =
      dragoman(translate({"-i", (folder / "none.txt").string(), "-o", (folder / "out").string()}));
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("none.txt") != std::string::npos);
  CHECK(std::filesystem::is_empty(folder.path()));
}

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
    CHECK(lines_of(result.out) == 3);
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

TEST_CASE("the score of a pair is the sum of its tokens' log-probabilities", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "s") << "a b c\nd\n";
  std::ofstream(folder / "t") << "A B C\nD E\n";
  const auto result =
      dragoman({"score", "-m", small_run().string(), "--source", (folder / "s").string(),
                "--target", (folder / "t").string(), "--json"});
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
  CHECK(dragoman({"score", "-m", small_run().string(), "--source", (folder / "s").string(),
                  "--target", (folder / "t").string()})
            .exit_code == 1);
}

}  // namespace translate_test
