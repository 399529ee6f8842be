#include "app/small_run.h"
#include "support/catch.h"
#include "support/hostile.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace translate_test {

namespace {

using test::capitals_run;
using test::dragoman;
using test::small_run;

std::vector<std::string> translate(const std::vector<std::string>& more,
                                   const std::filesystem::path& run = small_run()) {
  return test::with({"translate", "-m", run.string(), "--max-length", "12"}, more);
}

auto lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("source text ends as the hostile cases say", "[e2e][slow]") {
  const test::TemporaryDirectory folder;
  std::map<std::string, std::set<std::string>> translations;  // by beam, all cases
  for (const auto& hostile : test::hostile_cases("text-source")) {
    const std::string name = hostile.at("name");
    const auto file = test::hostile_file(hostile);
    const auto text = test::content_of(file);
    const auto stated = hostile.value("lines", nlohmann::json());
    const auto expected = stated.is_null() ? lines_of(text) + (!text.empty() && text.back() != '\n')
                                           : stated.get<std::ptrdiff_t>();
    for (const char* beam : {"1", "5"}) {
      CAPTURE(name, beam);
      const auto ends = [&](const std::vector<std::string>& more, const std::string& input) {
        const auto result = dragoman(
            translate(test::with({"--beam-size", beam}, more), capitals_run()), {.text = input});
        CAPTURE(more, result.err);
        CHECK(test::allows_exit(hostile, result.exit_code));
        CHECK(test::allows_end(hostile, result.exit_code == 0));
        test::check_program_end(result);
        CHECK_FALSE(dragoman::utf8::find_invalid(result.out));
        CHECK(result.out.find('\r') == std::string::npos);
        // A pipe has no name that a message could have.
        if (result.exit_code != 0 && input.empty()) test::check_refusal(hostile, result.err);
        return result;
      };
      const auto output = folder / (std::string("out") + beam);
      std::filesystem::remove(output);
      const auto from_file = ends({"-i", file.string()}, "");
      const auto from_pipe = ends({"--batch-lines", "16"}, text);
      const auto to_file =
          ends({"-i", file.string(), "-o", output.string(), "--batch-lines", "1"}, "");
      CHECK(from_pipe.exit_code == from_file.exit_code);
      CHECK(to_file.exit_code == from_file.exit_code);
      CHECK(std::filesystem::exists(output) == (to_file.exit_code == 0));
      if (from_file.exit_code != 0) continue;
      CHECK(lines_of(from_file.out) == expected);
      CHECK(from_pipe.out == from_file.out);
      CHECK(test::content_of(output) == from_file.out);
      for (const auto& line : test::split_lines(from_file.out)) translations[beam].insert(line);
    }
  }
  for (const auto& [beam, different] : translations) {
    CAPTURE(beam);
    CHECK(different.size() > 2);  // else blank was compared with blank
  }
}

TEST_CASE("empty lines stay empty and order is kept", "[e2e]") {
  auto lines = test::learned_lines(4);
  REQUIRE(test::all_differ(test::split_lines(
      dragoman(translate({}, capitals_run()), {.text = test::joined(lines)}).out)));
  lines.insert(lines.begin() + 1, {"", "  "});
  const auto together = dragoman(translate({}, capitals_run()), {.text = test::joined(lines)});
  REQUIRE(together.exit_code == 0);
  std::string single;
  for (const auto& line : lines)
    single += dragoman(translate({}, capitals_run()), {.text = line + '\n'}).out;
  CHECK(together.out == single);
  const auto translated = test::split_lines(together.out);
  REQUIRE(translated.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) CHECK(translated[i].empty() == (i == 1 || i == 2));
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
    return test::split_lines(result.out);
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

TEST_CASE("a mark of a target prefix without its spaces is named", "[e2e]") {
  const auto result =
      dragoman(translate({"--inline-prefix"}), {.text = "a ||| B\na|||B\nb |||B\n"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, test::contains("line 2: ||| is read as source text; write \"SOURCE ||| "
                                        "PREFIX\""));
  CHECK_THAT(result.err, !test::contains("line 3: |||"));
}

TEST_CASE("a target prefix of a blank line is named", "[e2e]") {
  const auto result = dragoman(translate({"--inline-prefix"}), {.text = " ||| B A\na b\n |||\n"});
  CHECK(result.exit_code == 0);
  CHECK(result.out.starts_with("\n"));
  CHECK_THAT(result.err, test::contains("line 1: blank, and so is its translation"));
  CHECK_THAT(result.err, !test::contains("line 3: blank"));
}

TEST_CASE("a reader that has enough ends a translation as it ends other programs", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto some = test::learned_lines(20);
  std::ofstream source(folder / "source");
  for (int i = 0; i < 300; ++i) source << test::joined(some);
  source.close();
  std::string command;
  for (const auto& word : translate({"-i", (folder / "source").string()}, capitals_run()))
    command += " '" + word + '\'';
  const auto result =
      test::run({"bash", "-c",
                 '\'' + test::program() + '\'' + command + " | head -n 1; echo ${PIPESTATUS[0]}"});
  CAPTURE(result.err);
  const auto first = dragoman(translate({}, capitals_run()), {.text = some.front() + '\n'}).out;
  CHECK(result.out == first + "141\n");  // 128 + SIGPIPE
  CHECK_THAT(result.err, !test::contains("error"));
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
  const auto text = test::joined(test::learned_lines(2));
  const auto plain = dragoman(translate({}, capitals_run()), {.text = text});
  REQUIRE(test::all_differ(test::split_lines(plain.out)));
  const auto dashes = dragoman(translate({"-i", "-", "-o", "-"}, capitals_run()),
                               {.text = text, .directory = folder.path()});
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
  refused({"evaluate", "--hypothesis", "/dev/stdin", "--reference", "-"},
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

TEST_CASE("each entry of an n-best list says whether it was stopped or repeats itself", "[e2e]") {
  const auto result = dragoman({"translate", "-m", small_run().string(), "--json", "--n-best", "4",
                                "--beam-size", "4", "--max-length", "1"},
                               {.text = "a b\nc d e\nf g h i\n"});
  REQUIRE(result.exit_code == 0);
  std::size_t stopped = 0;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    CHECK(record.at("truncated") == record.at("n_best").at(0).at("truncated"));
    CHECK(record.at("looping") == record.at("n_best").at(0).at("looping"));
    for (const auto& one : record.at("n_best")) {
      // EOS takes the only place of a hypothesis that ended.
      const auto truncated = one.at("truncated").get<bool>();
      CHECK(truncated == (one.at("tokens").size() == 1));
      CHECK(one.at("tokens").size() <= 1);
      CHECK_FALSE(one.at("looping").get<bool>());  // one token repeats nothing
      stopped += truncated ? 1 : 0;
    }
  }
  CHECK(stopped > 0);
}

TEST_CASE("with and without cache the translations are the same", "[e2e]") {
  const auto text = test::joined(test::learned_lines(4));
  const auto records = [&](const std::vector<std::string>& more) {
    const auto result = dragoman(translate(more, capitals_run()), {.text = text});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    std::vector<nlohmann::json> lines;
    for (const auto& line : test::split_lines(result.out))
      lines.push_back(nlohmann::json::parse(line));
    return lines;
  };
  const auto cached = records({"--json"}), whole = records({"--json", "--no-cache"});
  REQUIRE(cached.size() == 4);
  REQUIRE(whole.size() == 4);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < cached.size(); ++i) {
    texts.push_back(cached[i].at("text").get<std::string>());
    CHECK(cached[i].at("tokens") == whole[i].at("tokens"));
    CHECK(cached[i].at("score").get<double>() ==
          test::Approx(whole[i].at("score").get<double>()).epsilon(1e-5).margin(1e-5));
  }
  CHECK(test::all_differ(texts));
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

}  // namespace translate_test
