#include "app/small_run.h"
#include "support/catch.h"
#include "support/skip.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace limits_test {

using test::contains;
using test::dragoman;

namespace fs = std::filesystem;

namespace {

/// Runs the program where it gets no further thread, as a user other than root: no limit holds for
/// that one. \param threads of LibTorch: with 1 it needs none
test::ProcessResult without_threads(const std::vector<std::string>& arguments,
                                    const std::string& threads) {
  const std::string user = "61234";  // runs nothing else
  std::vector<std::string> command = {"bash", "-c", R"(ulimit -u 1; exec "$@")", "bash"};
  if (::geteuid() == 0)
    command =
        test::with(command, {"setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups"});
  return test::run(test::with(test::with(command, {test::program()}), arguments),
                   {.variables = {{"OMP_NUM_THREADS", threads}}});
}

/// A run that every user may read and a folder that every user may write.
struct PublicRun {
  test::TemporaryDirectory folder;
  std::string run = (folder / "run").string();
  std::string out = (folder / "out").string();
  std::string source = (folder / "a.src").string();
  std::string target = (folder / "a.tgt").string();

  PublicRun() {
    fs::copy(test::small_run(), run, fs::copy_options::recursive);
    test::write_letters(source, target);
    fs::create_directory(out);
    fs::permissions(folder.path(), fs::perms::all);
    fs::permissions(out, fs::perms::all);
  }
};

bool can_be_limited() {
  if (without_threads({"completion", "bash"}, "1").exit_code == 0) return true;
  test::skip("the program cannot be run as another user with a limit on processes");
  return false;
}

/// Lines of one to forty letters, no two alike.
void write_varied(const fs::path& file, int lines) {
  std::ofstream out(file);
  std::mt19937 random(1);
  for (int i = 0; i < lines; ++i) {
    const auto letters = 1 + random() % 40;
    for (unsigned j = 0; j < letters; ++j)
      out << (j > 0 ? " " : "") << static_cast<char>('a' + random() % 26);
    out << '\n';
  }
}

}  // namespace

TEST_CASE("a number of threads that no machine has is refused with the bound", "[e2e]") {
  const auto model = test::small_run().string();
  for (const std::string option : {"--threads", "--workers"}) {
    const auto result = dragoman({"translate", "-m", model, option, "100000"}, {.text = "a b\n"});
    CAPTURE(option);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains("1024") && contains(option.substr(2)));
  }
  const auto product = dragoman({"translate", "-m", model, "--threads", "512", "--workers", "512"},
                                {.text = "a b\n"});
  CHECK(product.exit_code == 2);
}

TEST_CASE("a thread that the system refuses ends any command with 1 and a remedy", "[e2e]") {
  if (!can_be_limited()) return;
  const PublicRun files;
  const std::vector<std::vector<std::string>> commands = {
      {"translate", "-m", files.run, "-i", files.source, "--workers", "4"},
      {"translate", "-m", files.run, "-i", files.source, "--workers", "1", "--threads", "4"},
      {"tokenize", "train", "-i", files.source, "-o", files.out + "/t.model", "--vocab-size", "60"},
      test::with(test::tiny_training(files.source, files.target, files.out + "/run"),
                 {"train.workers=4"})};
  for (const auto& command : commands) {
    const auto result = without_threads(command, "1");
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, contains("the system refuses another thread"));
  }
  CHECK(fs::is_empty(files.out));
  if (std::thread::hardware_concurrency() == 1) {
    test::skip("LibTorch starts no thread of its own on one core");
    return;
  }
  const auto library = without_threads({"experiment", "list"}, "4");
  CHECK(library.exit_code == 1);
  CHECK_THAT(library.err, contains("the system refuses another thread"));
}

TEST_CASE("a limit on memory, wherever it is reached, ends a command with 1 and a remedy",
          "[e2e]") {
  const auto limited = [](int megabytes) {
    const auto limit = "ulimit -v " + std::to_string(megabytes) + "000";
    return test::run(
        {"bash", "-c", limit + R"(; exec "$@")", "bash", test::program(), "experiment", "list"});
  };
  if (limited(4000).exit_code != 0) return test::skip("LibTorch does not start with 4 GB");
  // LibTorch cannot be mapped, then it cannot start, then no thread can, then all is well.
  for (int megabytes = 60; megabytes <= 500; megabytes += 20) {
    const auto result = limited(megabytes);
    CAPTURE(megabytes, result.err);
    if (result.exit_code == 0) continue;
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, contains("raise the limit") || contains("out of memory"));
  }
}

TEST_CASE("lines before a prefix that reaches the length limit are translated", "[e2e]") {
  const auto translate = [](const std::string& text) {
    return dragoman({"translate", "-m", test::small_run().string(), "--inline-prefix",
                     "--max-length", "4", "--workers", "2"},
                    {.text = text});
  };
  std::string good;
  for (int i = 0; i < 130; ++i) good += i % 2 == 0 ? "a b ||| B\n" : "d e\n";
  const auto expected = translate(good);
  REQUIRE(expected.exit_code == 0);
  const std::string too_long = "a b ||| B A C D E F\n";
  const auto result = translate(good + too_long + good + too_long);
  CAPTURE(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.out == expected.out);
  CHECK_THAT(result.err, contains("target prefix: line 131: has "));
}

TEST_CASE("the memory of translate does not grow with the text", "[e2e][slow]") {
  const test::TemporaryDirectory folder;
  const auto peak_kb = [&](int lines) {
    write_varied(folder / "text", lines);
    const auto result =
        dragoman({"translate", "-m", test::small_run().string(), "-i", (folder / "text").string(),
                  "-o", "/dev/null", "--beam-size", "1", "--workers", "1", "--batch-lines", "500"});
    CAPTURE(lines, result.err);
    REQUIRE(result.exit_code == 0);
    return result.max_resident_kb;
  };
  const auto few = peak_kb(1000);
  CHECK(peak_kb(8000) < few + 12 * 1024);
}

}  // namespace limits_test
