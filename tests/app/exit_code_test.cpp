#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"

#include <string>
#include <vector>

namespace exit_code_test {

using test::contains;

namespace {

test::ProcessResult dragoman(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), test::program());
  return test::run(arguments);
}

/// The program inside a shell line, for redirections.
test::ProcessResult shell(const std::string& line) {
  return test::run({"bash", "-c", line, "bash", test::program()});
}

}  // namespace

TEST_CASE("help and version go to stdout with exit code 0", "[unit]") {
  for (const std::string flag : {"--help", "--version"}) {
    const auto result = dragoman({flag});
    CAPTURE(flag);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    CHECK(!result.out.empty());
  }
}

TEST_CASE("the version names the libraries, the devices and the instructions used", "[unit]") {
  const auto text = dragoman({"--version"}).out;
  for (const std::string part :
       {"dragoman 0.", "LibTorch 2.", "SentencePiece 0.", "cpu: ", "kernels: float32 "})
    CHECK_THAT(text, contains(part));
  const auto head =
      test::run({"git", "-C", test::source_folder().string(), "rev-parse", "--short=9", "HEAD"});
  if (head.exit_code == 0) CHECK_THAT(text, contains("(commit "));
}

TEST_CASE("a wrong command line ends with 2 and one message on stderr", "[unit]") {
  const std::vector<std::vector<std::string>> wrong = {
      {"fly"}, {"train", "--no-such-option"}, {"--log", "loud", "train"}, {"average"}};
  for (const auto& arguments : wrong) {
    const auto result = dragoman(arguments);
    CAPTURE(result.err);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains("dragoman: error: ") && contains("--help"));
  }
}

TEST_CASE("a message does not repeat the control characters of an argument", "[unit]") {
  const auto result = dragoman({"\x1b[2J"});
  CHECK(result.exit_code == 2);
  CHECK(result.err.find('\x1b') == std::string::npos);
}

TEST_CASE("a reader that goes away ends the program quietly with 141", "[unit]") {
  const auto result = shell(R"({ sleep 0.5; "$1" completion bash; echo "code $?" >&2; } | true)");
  CHECK(result.err == "code 141\n");
}

TEST_CASE("a full disk ends with 1 and a message", "[unit]") {
  const auto result = shell(R"("$1" completion bash > /dev/full)");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, contains("standard output") && contains("No space left on device"));
}

TEST_CASE("a closed stdout ends with 1 and a message", "[unit]") {
  const auto result = shell(R"("$1" completion bash >&-)");
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, contains("standard output: cannot be written"));
}

TEST_CASE("the log's level may stand before and behind the subcommand", "[unit]") {
  CHECK(dragoman({"--log", "error", "completion", "bash"}).exit_code == 0);
  CHECK(dragoman({"completion", "bash", "--log", "debug"}).exit_code == 0);
}

}  // namespace exit_code_test
