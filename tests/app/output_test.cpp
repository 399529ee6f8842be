#include "app/text_to_translate.h"
#include "support/catch.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace output_test {

using test::contains;

namespace fs = std::filesystem;

namespace {

/// A shell line in which "$1" is the program and "$2", "$3" ... are `words`.
test::ProcessResult shell(const std::string& line, std::vector<std::string> words = {}) {
  words.insert(words.begin(), {"bash", "-c", line, "bash", test::program()});
  return test::run(words);
}

}  // namespace

TEST_CASE("an output that is a link is written through it, also where it names no file yet",
          "[e2e]") {
  const test::TextToTranslate text;
  std::ofstream(text.target) << "old";
  fs::create_symlink("target", text.folder / "link");
  fs::create_symlink("new", text.folder / "dangling");
  for (const std::string name : {"link", "dangling"}) {
    CHECK(text.translate((text.folder / name).string()).exit_code == 0);
    CHECK(fs::is_symlink(text.folder / name));
  }
  const auto translated = test::content_of(text.target);
  CHECK(std::count(translated.begin(), translated.end(), '\n') == 2);
  CHECK(test::content_of(text.folder / "new") == translated);
}

TEST_CASE("an output that is /dev/stdout by any name goes to the standard output", "[e2e]") {
  const test::TextToTranslate text;
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    CAPTURE(name);
    // A link of our own, for an error here must not destroy that of the machine.
    const auto link = text.folder / "stdout";
    fs::remove(link);
    fs::create_symlink(name, link);
    const auto piped = text.translate(link.string());
    CHECK(piped.exit_code == 0);
    CHECK(std::count(piped.out.begin(), piped.out.end(), '\n') == 2);
    CHECK(fs::read_symlink(link) == name);
    std::ofstream(text.target) << "kept\n";
    const auto appended =
        shell(R"("$1" translate -m "$2" -i "$3" -o "$4" >> "$5")",
              {test::small_run().string(), text.source, link.string(), text.target});
    CHECK(appended.exit_code == 0);
    CHECK(test::content_of(text.target) == "kept\n" + piped.out);
  }
}

TEST_CASE("an output that is a folder is refused before the work", "[e2e]") {
  const test::TextToTranslate text;
  const auto folder = text.folder.path().string();
  for (const auto& command : std::vector<std::vector<std::string>>{
           {"shortlist", "-m", test::small_run().string(), "-o", folder},
           {"bench", "path", "--plot", folder}}) {
    const auto result = test::dragoman(command);
    CHECK(result.exit_code == 1);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, contains(folder + ": is a folder; give the name of a file"));
  }
}

TEST_CASE("with standard error closed no message gets into an output", "[e2e]") {
  const test::TextToTranslate text;
  std::ofstream(text.source) << "a 你 b\n";  // a character that is warned of
  const auto open = text.translate(text.target);
  CHECK_THAT(open.err, contains("U+4F60"));
  const auto expected = test::content_of(text.target);
  fs::remove(text.target);
  const auto closed = shell("\"$1\" translate -m \"$2\" -i \"$3\" -o \"$4\" 2>&-",
                            {test::small_run().string(), text.source, text.target});
  CHECK(closed.exit_code == 0);
  CHECK(test::content_of(text.target) == expected);
}

TEST_CASE("an output that is a pipe is written to it and stays one", "[e2e]") {
  const test::TextToTranslate text;
  REQUIRE(::mkfifo(text.target.c_str(), 0600) == 0);
  const auto result =
      shell(R"(cat "$4" & "$1" translate -m "$2" -i "$3" -o "$4"; code=$?; wait; exit $code)",
            {test::small_run().string(), text.source, text.target});
  CHECK(result.exit_code == 0);
  CHECK(std::count(result.out.begin(), result.out.end(), '\n') == 2);
  CHECK(fs::is_fifo(text.target));
}

TEST_CASE("an output keeps the permissions of the file that it replaces", "[e2e]") {
  const test::TextToTranslate text;
  std::ofstream(text.target) << "old";
  fs::permissions(text.target, fs::perms::owner_read | fs::perms::owner_write);
  CHECK(text.translate(text.target).exit_code == 0);
  CHECK(fs::status(text.target).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

namespace {

/// A function of bash: waits, a minute at most, until process $pid has begun to write the file that
/// is named. If it does not, it is killed, and what it wrote to FILE.err is shown.
const std::string wait_for_part = R"(
  exec 8>&2
  wait_for_part() {
    for ((i = 0; i < 3000; ++i)); do
      if compgen -G "$1.tmp-*" > /dev/null; then return; fi
      kill -0 $pid 2> /dev/null || break
      sleep 0.02
    done
    echo "no part of $1 was written" >&8; cat "$1.err" >&8
    kill -KILL $pid; exit 1
  })";

}  // namespace

TEST_CASE("help and version on a full disk end with 1 and a message", "[unit]") {
  for (const std::string flag : {"--version", "--help", "train --help"}) {
    CAPTURE(flag);
    const auto result = shell("\"$1\" " + flag + " > /dev/full");
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, contains("standard output: cannot be written: No space left on device"));
  }
}

TEST_CASE("a limit on the size of files ends with 1, a message and no part of a file", "[e2e]") {
  const test::TextToTranslate text;
  std::ofstream long_text(text.source);
  for (int i = 0; i < 3000; ++i) long_text << "a b c d e f g\n";
  long_text.close();
  const auto result = shell(R"(ulimit -f 1; "$1" translate -m "$2" -i "$3" -o "$4")",
                            {test::small_run().string(), text.source, text.target});
  CHECK(result.exit_code == 1);
  CHECK_THAT(result.err, contains("target: cannot be written: File too large"));
  CHECK(std::distance(fs::directory_iterator(text.folder.path()), fs::directory_iterator()) == 1);
}

TEST_CASE("a signal that ends the program leaves no part of a file", "[e2e]") {
  const test::TextToTranslate text;
  // With job control, bash does not make SIGINT ignored for what runs in the background.
  const auto ended = shell(wait_for_part + R"(
         set -m; mkfifo "$3.fifo"; exec 9<> "$3.fifo"
         for signal in INT TERM HUP USR1 PIPE; do
           "$1" translate -m "$2" -o "$3" < "$3.fifo" 2> "$3.err" 9<&- & pid=$!
           wait_for_part "$3"
           kill -$signal $pid; wait $pid; echo $?
         done 2> /dev/null
         rm "$3.err")",
                           {test::small_run().string(), text.target});
  CAPTURE(ended.err);
  CHECK(ended.out == "130\n143\n129\n138\n141\n");
  fs::remove(text.target + ".fifo");
  CHECK(std::distance(fs::directory_iterator(text.folder.path()), {}) == 1);
  // nohup: a closed terminal ends nothing
  const auto ignored = shell(wait_for_part + R"(
         trap '' HUP; mkfifo "$3.fifo"
         "$1" translate -m "$2" -o "$3" < "$3.fifo" 2> "$3.err" & pid=$!
         exec 9> "$3.fifo"; wait_for_part "$3"
         kill -HUP $pid; echo a >&9; exec 9>&-; wait $pid; echo $?; wc -l < "$3")",
                             {test::small_run().string(), text.target});
  CAPTURE(ignored.err);
  CHECK(ignored.out == "0\n1\n");
}

TEST_CASE("a task's text goes to a new or empty folder only", "[e2e]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "mine") << "x";
  const std::vector<std::string> task = {"experiment",    "task", "copy",         "--pairs", "50",
                                         "--valid-pairs", "5",    "--test-pairs", "5",       "-o"};
  const auto refused = test::dragoman(test::with(task, {folder.path().string()}));
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, contains("is not an empty folder"));
  CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
  CHECK(test::dragoman(test::with(task, {(folder / "new").string()})).exit_code == 0);
}

TEST_CASE("a run folder is not a file", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto source = test::source_folder();
  const auto file = (folder / "mine").string();
  std::ofstream(file) << "x";
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"train", "-c", (source / "configs/demo.json").string()},
        {"experiment", "run", "tasks"},
        {"distill", "-m", test::small_run().string(), "--preset", "tiny", "--monolingual",
         (source / "data/demo/test.en.gz").string()}}) {
    const auto refused =
        test::dragoman(test::with(command, {"-o", file}), {.text = "", .directory = source});
    CAPTURE(command, refused.err);
    CHECK(refused.exit_code == 1);
    CHECK_THAT(refused.err, contains(file + ": is not a folder; choose another"));
  }
  CHECK(test::content_of(file) == "x");
}

TEST_CASE("a name that promises another form is refused", "[e2e]") {
  const auto refused = [](const std::vector<std::string>& command, const char* message) {
    const auto result = test::dragoman(command);
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains(message));
  };
  refused({"bench", "path", "--plot", "p.png"}, "p.png would hold svg; name it p.svg");
  refused({"report", "-m", "x", "-o", "p.pdf"}, "p.pdf would hold html; name it p.html");
  refused({"analyze", "attention", "-m", test::small_run().string(), "a", "-o", "a.pdf"},
          "-o a.pdf: there is no such format");
}

TEST_CASE("a name that promises compressed text is refused for an output", "[e2e]") {
  const test::TextToTranslate text;
  const auto refused = text.translate(text.target + ".gz");
  CHECK(refused.exit_code == 2);
  CHECK_THAT(refused.err, contains("target.gz: output is not compressed; leave .gz out"));
  CHECK_FALSE(fs::exists(text.target + ".gz"));
}

}  // namespace output_test
