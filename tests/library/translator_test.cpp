#include "dragoman/translator.h"

#include "library/small_translator.h"
#include "support/catch.h"
#include "support/program.h"
#include "text/text_support.h"

#include <algorithm>
#include <filesystem>
#include <ios>
#include <latch>
#include <limits>
#include <thread>

#ifdef TORCH_VERSION
#error "dragoman/translator.h includes LibTorch"
#endif

// What other programs get: this executable is linked with libdragoman.so and nothing else.
namespace translator_test {

using dragoman::Translator;
using test::small_translator;
using test::sources;

namespace {

std::vector<std::string> texts_of(const std::vector<dragoman::Translation>& translations) {
  std::vector<std::string> texts;
  for (const auto& translation : translations) texts.push_back(translation.text());
  return texts;
}

/// Pieces and log-probability.
using Result = std::pair<std::vector<std::string>, double>;

std::vector<Result> results_of(const std::vector<dragoman::Translation>& translations) {
  std::vector<Result> results;
  for (const auto& translation : translations)
    results.emplace_back(translation.n_best.front().pieces, translation.n_best.front().log_prob);
  return results;
}

/// The output lines of a command of the program that reads `sources()`.
std::vector<std::string> lines_of_program(const std::vector<std::string>& arguments) {
  const auto result = test::dragoman(arguments, {.text = test::joined(sources())});
  REQUIRE(result.exit_code == 0);
  return test::split_lines(result.out);
}

}  // namespace

// The small run's best translations are empty; samples are not.
TEST_CASE("the library translates as the program does", "[e2e]") {
  const auto run = test::small_run().string();
  const auto by_library = [](const std::string& precision) {
    return texts_of(
        small_translator({.set = {"search.sample=true", "search.precision=" + precision}})
            .translate(sources()));
  };
  const auto float32 = by_library("float32"), int8 = by_library("int8");
  CHECK(float32 == lines_of_program({"translate", "-m", run, "--sample"}));
  CHECK(int8 == lines_of_program({"translate", "-m", run, "--sample", "--precision", "int8"}));
  CHECK(std::ranges::count(float32, "") < std::ssize(float32) / 2);
}

TEST_CASE("a translation has its score, pieces, alignment and flags", "[e2e]") {
  const auto translator =
      small_translator({.set = {"search.sample=true", "search.max_length=2"}, .alignment = true});
  const std::vector<std::string> lines(8, "a b c d e");
  for (const auto& translation : translator.translate(lines)) {
    const auto& best = translation.n_best.front();
    CHECK(best.score < 0.0);
    CHECK(best.log_prob < 0.0);
    CHECK(best.pieces.size() <= 2);
    CHECK(best.alignment.empty() == best.pieces.empty());
    CHECK(translation.source_pieces.size() >= 5);
    CHECK(translation.truncated == (best.pieces.size() == 2));
    CHECK_FALSE(translation.invalid);
  }
  CHECK(translator.translate("a \xFF b").invalid);
  CHECK(translator.translate("  ").text().empty());
}

TEST_CASE("the library scores as the program does", "[e2e]") {
  const test::TemporaryDirectory folder;
  const std::vector<std::string> lines = {"a b", "c d e", ""};
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  const auto file = test::write(folder / "text", text);
  const auto expected = test::dragoman(
      {"score", "-m", test::small_run().string(), "--source", file, "--target", file});
  REQUIRE(expected.exit_code == 0);
  std::ostringstream printed;
  printed << std::fixed;  // with six decimals
  for (const auto& score : small_translator().score(lines, lines)) {
    CHECK(score.pieces.size() == score.piece_log_probs.size());
    printed << score.log_prob << '\n';
  }
  CHECK(printed.str() == expected.out);
}

TEST_CASE("translators of one run in several precisions work at the same time", "[e2e]") {
  const auto translator = [](const std::string& precision) {
    return small_translator({.set = {"search.sample=true", "search.precision=" + precision}});
  };
  const auto float32 = results_of(translator("float32").translate(sources()));
  const auto int8 = results_of(translator("int8").translate(sources()));
  CHECK(float32 != int8);
  const auto first = translator("float32"), second = translator("int8");
  CHECK(first.description() != second.description());
  for (int round = 0; round < 3; ++round) {
    std::vector<Result> beside;
    std::jthread other([&] { beside = results_of(second.translate(sources())); });
    CHECK(results_of(first.translate(sources())) == float32);
    other.join();
    CHECK(beside == int8);
  }
}

TEST_CASE("many threads may use one translator at once", "[e2e]") {
  const auto translator = small_translator({.set = {"search.sample=true"}, .workers = 2});
  const auto expected = results_of(translator.translate(sources()));
  constexpr std::size_t callers = 6;
  std::vector<std::vector<Result>> found(callers);
  std::latch start(callers);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < callers; ++i)
      threads.emplace_back([&, i, copy = translator] {
        start.arrive_and_wait();
        found[i] = results_of(copy.translate(sources()));
      });
  }
  for (const auto& results : found) CHECK(results == expected);
}

TEST_CASE("prefixes begin the translations, and several runs are an ensemble", "[e2e]") {
  const std::vector<std::string> lines = {"a b", "c"}, prefixes = {"B", ""};
  CHECK(
      small_translator().translate(lines, {.prefixes = prefixes}).front().text().starts_with("B"));
  const std::vector<std::string> one = {"B"}, bad = {"B", "\xC3"};
  CHECK_THROWS_WITH(small_translator().translate(lines, {.prefixes = one}),
                    test::contains("1 prefixes for 2 lines"));
  CHECK_THROWS_WITH(small_translator().translate(lines, {.prefixes = bad}),
                    test::contains("target prefix: line 2: is not valid UTF-8"));
  const std::vector<std::filesystem::path> twice(2, test::small_run());
  const auto alone = small_translator().score(lines, lines);
  const auto both = Translator::load(twice).score(lines, lines);
  for (std::size_t i = 0; i < lines.size(); ++i)
    CHECK(both[i].log_prob == test::Approx(alone[i].log_prob));
}

TEST_CASE("a line that cannot be translated is told by its number", "[e2e]") {
  const auto translator = small_translator({.set = {"search.max_length=4"}});
  const std::vector<std::string> lines(100, "a b");
  for (const std::size_t bad : {std::size_t{0}, std::size_t{70}}) {
    std::vector<std::string> prefixes(lines.size());
    prefixes[bad] = prefixes.back() = "A B C D E F";
    try {
      const auto none = translator.translate(lines, {.prefixes = prefixes, .first_line = 1000});
      FAIL("translated");
    } catch (const dragoman::LineError& error) {
      CHECK(error.line() == 1000 + static_cast<std::int64_t>(bad));
    }
  }
}

TEST_CASE("a line that cannot be scored, or whose prefix is no text, is told by its number",
          "[e2e]") {
  const auto translator = small_translator();
  const auto line_of = [](const auto& work) {
    try {
      work();
    } catch (const dragoman::LineError& error) {
      return error.line();
    }
    return std::int64_t{-1};
  };
  const std::vector<std::string> good{"a", "b", "c"}, bad{"a", "b", "\xC3"};
  std::string long_line;
  for (int i = 0; i < 40000; ++i) long_line += "a ";
  CHECK(line_of([&] { return translator.score(good, bad); }) == 2);
  CHECK(line_of([&] { return translator.score(bad, good); }) == 2);
  CHECK(line_of([&] { return translator.score({"a", long_line}, {"a", "b"}); }) == 1);
  CHECK(line_of([&] { return translator.translate(good, {.prefixes = bad, .first_line = 10}); }) ==
        12);
}

TEST_CASE("braces hold lines and folders, and no Translator is ever empty", "[e2e]") {
  auto translator = small_translator();
  CHECK(translator.translate({"a b", "c"}).size() == 2);
  const auto run = test::small_run();
  CHECK(Translator::load({run, run}).translate({"a b"}).size() == 1);
  const auto moved = std::move(translator);
  CHECK(translator.translate({"a b"}).size() == 1);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("a Translator is what was loaded, whatever becomes of the files", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto run = folder / "run";
  std::filesystem::copy(test::small_run(), run, std::filesystem::copy_options::recursive);
  const std::vector<std::string> lines = {"a b"}, targets = {"B"};
  const auto expected = small_translator().score(lines, targets).front().log_prob;
  // Training alone needs the optimizer's state.
  for (const auto& entry : std::filesystem::recursive_directory_iterator(run))
    if (entry.path().filename() == "optimizer.safetensors") std::filesystem::remove(entry.path());
  const auto translator = Translator::load(run, {.set = {"search.precision=int8"}});
  std::filesystem::remove_all(run);
  CHECK(translator.score(lines, targets).front().log_prob == test::Approx(expected));
}

TEST_CASE("weights that were written to after load are not scored with", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::filesystem::copy(test::small_run(), folder / "run",
                        std::filesystem::copy_options::recursive);
  const auto translator = Translator::load(folder / "run", {.set = {"search.precision=int8"}});
  const auto before = results_of(translator.translate(sources()));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "run"))
    if (entry.path().filename() == "model.safetensors")
      std::filesystem::resize_file(entry.path(), 100);
  CHECK_THROWS_WITH(translator.score({"a"}, {"b"}),
                    test::contains("model.safetensors: was changed after it was opened"));
  CHECK(results_of(translator.translate(sources())) == before);
}

TEST_CASE("the library has the version of its headers", "[unit]") {
  const auto numbers = std::to_string(DRAGOMAN_VERSION_MAJOR) + '.' +
                       std::to_string(DRAGOMAN_VERSION_MINOR) + '.' +
                       std::to_string(DRAGOMAN_VERSION_PATCH);
  CHECK(dragoman::library_version() == numbers);
  CHECK(dragoman::version == numbers);
}

TEST_CASE("every error is a dragoman::Error with its remedy", "[e2e]") {
  const auto run = test::small_run();
  CHECK_THROWS_AS(Translator::load("no such folder"), dragoman::Error);
  CHECK_THROWS_AS(Translator::load(run, {.checkpoint = "step-99"}), dragoman::DataError);
  CHECK_THROWS_AS(Translator::load(run, {.set = {"search.beam=3"}}), dragoman::OptionsError);
  CHECK_THROWS_AS(Translator::load(run, {.workers = -1}), dragoman::OptionsError);
  CHECK_THROWS_AS(Translator::load(std::span<const std::filesystem::path>{}),
                  dragoman::OptionsError);
  CHECK_THROWS_AS(Translator::load(""), dragoman::OptionsError);
  CHECK_THROWS_WITH(Translator::load(run / "config.json"), test::contains(": is not a folder"));
  CHECK_THROWS_WITH(Translator::load(run, {.set = {"train.max_steps=4"}}),
                    test::contains("train.max_steps: changes no translation"));
  for (const std::int64_t number : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::max()})
    CHECK_THROWS_WITH(small_translator().translate({"a"}, {.first_line = number}),
                      test::contains("is not the number of a line"));
  const std::vector<std::string> one = {"a"}, bad = {"\xC3"};
  CHECK_THROWS_WITH(small_translator().score(one, {}), test::contains("0 targets for 1 lines"));
  CHECK_THROWS_WITH(small_translator().score(one, bad), test::contains("target 1: is not valid"));
}

TEST_CASE("a shortlist limits what a Translator writes, and is refused where it has no effect",
          "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto file = folder / "lex";
  REQUIRE(test::dragoman({"shortlist", "-m", test::small_run().string(), "-o", file.string(),
                          "--first", "2", "--best", "1"})
              .exit_code == 0);
  const std::vector<std::string> samples{"search.sample=true", "search.max_length=8"};
  const auto few = small_translator({.set = samples, .shortlist = file});
  CHECK_THAT(few.description(), test::contains("logits of a shortlist"));
  const auto found = texts_of(few.translate(sources()));
  CHECK(found == lines_of_program({"translate", "-m", test::small_run().string(), "--sample",
                                   "--max-length", "8", "--shortlist", file.string()}));
  CHECK(found != texts_of(small_translator({.set = samples}).translate(sources())));
  CHECK_THROWS_AS(small_translator({.set = {"search.cache=false"}, .shortlist = file}),
                  dragoman::OptionsError);
  CHECK_THROWS_AS(small_translator({.shortlist = folder / "none"}), dragoman::DataError);
}

TEST_CASE("models that need LibTorch translate the same, by the library that has it", "[e2e]") {
  const auto lines = test::learned_lines(4);
  const auto whole = Translator::load(test::capitals_run(), {.set = {"search.cache=false"}});
  CHECK_THAT(whole.description(), test::contains("LibTorch's modules"));
  const auto expected = texts_of(Translator::load(test::capitals_run(), {}).translate(lines));
  CHECK(test::all_differ(expected));
  CHECK(texts_of(whole.translate(lines)) == expected);
}

TEST_CASE("a Translator refuses a device that is not there", "[e2e]") {
  CHECK_THROWS_WITH(Translator::load(test::small_run(), {.device = "gpu"}),
                    test::contains("device") && test::contains("gpu"));
  CHECK_THROWS_AS(Translator::load(test::small_run(), {.device = "cuda:99"}),
                  dragoman::OptionsError);
}

}  // namespace translator_test
