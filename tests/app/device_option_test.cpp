#include "app/small_run.h"
#include "support/catch.h"
#include "support/skip.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

// --device of the commands that compute with a trained model. What a GPU computes, the tests of
// decoding/ and analysis/ compare with the CPU.
namespace device_option_test {

namespace {

using test::dragoman;

/// A small run and a text for it.
struct Texts {
  test::TemporaryDirectory folder;
  std::string source = (folder / "a.src").string(), target = (folder / "a.tgt").string();

  Texts() { test::write_letters(source, target); }
};

using Arguments = std::vector<std::string>;

/// Whether this machine has a GPU that the program can use; else the rest of the test is skipped.
bool has_gpu() {
  if (dragoman({"--version"}).out.find("cuda:0") != std::string::npos) return true;
  test::skip("there is no GPU that the program can use");
  return false;
}

std::ptrdiff_t count_lines(const std::string& text) { return std::ranges::count(text, '\n'); }

/// The commands that --device is for, without it.
std::vector<Arguments> commands(const Texts& texts) {
  const auto run = test::small_run().string();
  const Arguments pairs = {"--source", texts.source, "--target", texts.target};
  const auto out = (texts.folder / "out").string();
  const Arguments limited = test::with(pairs, {"--limit", "5"});
  return {{"translate", "-m", test::capitals_run().string()},
          {"evaluate", "-m", run, "--source", texts.source, "--reference", texts.target},
          {"report", "-m", run, "-o", out, "--source", texts.source, "--reference", texts.target},
          test::with({"score", "-m", run}, pairs),
          {"analyze", "attention", "-m", run, "a b c"},
          test::with({"analyze", "heads", "-m", run}, limited),
          test::with({"analyze", "alignment", "-m", run}, limited),
          test::with({"analyze", "explanation", "-m", run}, limited),
          test::with({"prune", "-m", run, "-o", out, "--fraction", "0.2"}, limited),
          {"convert", "--to", "dragoman", "--quantize", "bf16", run, "-o", out, "--source",
           texts.source, "--reference", texts.target},
          {"bench", "translate", "-m", run, "--source", texts.source, "--seconds", "0.001"}};
}

}  // namespace

TEST_CASE("a device that is not there is refused with what to use instead, and nothing is written",
          "[e2e]") {
  const Texts texts;
  for (const auto& command : commands(texts)) {
    CAPTURE(command);
    const auto result = dragoman(test::with(command, {"--device", "cuda:99"}), {.text = "a b c\n"});
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, test::contains("--device: \"cuda:99\" is not available (") &&
                               test::contains("found); use cpu, or a machine"));
    CHECK_FALSE(std::filesystem::exists(texts.folder / "out"));
  }
}

TEST_CASE("a name that is no device is refused by each command", "[e2e]") {
  const Texts texts;
  for (const auto& command : commands(texts)) {
    CAPTURE(command);
    for (const std::string name : {"gpu", "auto"}) {
      const auto result = dragoman(test::with(command, {"--device", name}), {.text = "a b c\n"});
      CHECK(result.exit_code == 2);
      CHECK_THAT(result.err, test::contains("--device: \"" + name +
                                            "\" is not a device that a model can be used on"));
    }
  }
}

TEST_CASE("the CPU as a device translates as it does without being named", "[e2e]") {
  const auto run = test::capitals_run().string(), text = test::joined(test::learned_lines(3));
  const auto plain = dragoman({"translate", "-m", run}, {.text = text});
  REQUIRE(test::all_differ(test::split_lines(plain.out)));
  const auto named = dragoman({"translate", "-m", run, "--device", "cpu"}, {.text = text});
  CHECK(named.exit_code == 0);
  CHECK(named.out == plain.out);
}

TEST_CASE("each command computes on a GPU what it computes on the CPU, where there is one",
          "[e2e]") {
  if (!has_gpu()) return;
  const Texts texts;
  const auto text = test::joined(test::learned_lines(3));
  for (auto command : commands(texts)) {
    // Their automatic precisions differ.
    if (command.front() == "translate") command = test::with(command, {"--precision", "float32"});
    CAPTURE(command);
    std::filesystem::remove_all(texts.folder / "out");
    const auto here = dragoman(command, {.text = text});
    REQUIRE(here.exit_code == 0);
    std::filesystem::remove_all(texts.folder / "out");
    const auto there = dragoman(test::with(command, {"--device", "cuda"}), {.text = text});
    CAPTURE(there.err);
    CHECK(there.exit_code == 0);
    CHECK(count_lines(there.out) == count_lines(here.out));
    if (command.front() == "translate") {
      CHECK(test::all_differ(test::split_lines(here.out)));
      CHECK(there.out == here.out);
    }
    const bool writes = std::ranges::find(command, "-o") != command.end();
    CHECK(std::filesystem::exists(texts.folder / "out") == writes);
  }
}

TEST_CASE("a device is refused where no model computes", "[e2e]") {
  const Texts texts;
  const auto run = test::small_run().string(), out = (texts.folder / "out").string();
  const std::vector<Arguments> idle = {
      {"prune", "-m", run, "-o", out, "--heads", "cross:1.1"},
      {"prune", "-m", run, "-o", out, "--fraction", "0.5", "--order", "random"},
      {"convert", "--to", "ctranslate2", run, "-o", out},
      {"bench", "translate", "--preset", "tiny"},
      {"evaluate", "--hypothesis", texts.source, "--reference", texts.target}};
  for (const auto& command : idle) {
    CAPTURE(command);
    const auto result = dragoman(test::with(command, {"--device", "cpu"}));
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, test::contains("--device"));
    CHECK_FALSE(std::filesystem::exists(texts.folder / "out"));
  }
}

}  // namespace device_option_test
