#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"
#include "support/skip.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace completion_test {

using Words = std::vector<std::string>;

namespace {

std::string quoted(const Words& words) {
  std::string text;
  for (const auto& word : words) text += "'" + word + "' ";
  return text;
}

/// What bash offers at the end of `words`, as it would call the completion.
Words complete(const Words& words, const std::filesystem::path& directory = {}) {
  static const std::string script = test::run({test::program(), "completion", "bash"}).out;
  const std::string driver = script + "\nCOMP_WORDS=(" + quoted(words) +
                             ")\nCOMP_CWORD=" + std::to_string(words.size() - 1) +
                             "\n_dragoman\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const auto result =
      test::run({"bash", "-u", "-s"}, {.text = driver, .directory = directory, .variables = {}});
  CHECK(result.err.empty());
  Words offered;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) offered.push_back(line);
  return offered;
}

bool offers(const Words& offered, const std::string& word) {
  return std::find(offered.begin(), offered.end(), word) != offered.end();
}

}  // namespace

TEST_CASE("completion offers the subcommands that begin as the word does", "[unit]") {
  CHECK(complete({"dragoman", "trai"}) == Words{"train"});
  CHECK(offers(complete({"dragoman", "t"}), "tokenize"));
  CHECK_FALSE(offers(complete({"dragoman", "t"}), "average"));
  CHECK(offers(complete({"dragoman", "tokenize", ""}), "encode"));
  CHECK(complete({"dragoman", "help", "trai"}) == Words{"train"});
}

TEST_CASE("completion offers the options of the subcommand and the global ones", "[unit]") {
  CHECK(complete({"dragoman", "train", "--pres"}) == Words{"--preset"});
  CHECK(complete({"dragoman", "train", "--lo"}) == Words{"--log", "--log-time"});
  CHECK(complete({"dragoman", "--log", "debug", "train", "--pres"}) == Words{"--preset"});
}

TEST_CASE("completion offers the values an option chooses from", "[unit]") {
  CHECK(complete({"dragoman", "train", "--preset", "b"}) == Words{"base", "big"});
  CHECK(complete({"dragoman", "--log", ""}) == Words{"error", "warning", "info", "debug"});
  CHECK(complete({"dragoman", "completion", "b"}) == Words{"bash"});
  CHECK(complete({"dragoman", "evaluate", "--metrics", "c"}) == Words{"chrf", "chrf++"});
  CHECK(complete({"dragoman", "evaluate", "--smooth", "a"}) == Words{"add-k"});
}

TEST_CASE("completion offers configuration keys and their names behind --set", "[unit]") {
  CHECK(complete({"dragoman", "train", "--set", "model.num"}) == Words{"model.num_heads="});
  CHECK(complete({"dragoman", "train", "--set", "model.cross_attention.rad"}) ==
        Words{"model.cross_attention.radius="});
  CHECK(complete({"dragoman", "train", "--set", "model.norm", "=", "p"}) == Words{"post", "pre"});
  CHECK(complete({"dragoman", "train", "--set", "model.norm", "="}) == Words{"post", "pre"});
  CHECK(complete({"dragoman", "train", "--set", "seed", "=", ""}).empty());
  CHECK(complete({"dragoman", "distill", "--search", "search.beam"}) == Words{"search.beam_size="});
}

TEST_CASE("completion offers further values of an option that takes several", "[unit]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "dev.en") << "a";
  const auto second = [&](const Words& words) { return complete(words, folder.path()); };
  CHECK(second({"dragoman", "train", "--train-source", "train.en", "d"}) == Words{"dev.en"});
  CHECK(second({"dragoman", "train", "--set", "model.norm", "=", "pre", "model.num_h"}) ==
        Words{"model.num_heads="});
  CHECK(second({"dragoman", "train", "--set", "seed", "=", "1", "model.norm", "=", "po"}) ==
        Words{"post"});
  CHECK(second({"dragoman", "train", "--train-source", "train.en", "--pres"}) == Words{"--preset"});
  CHECK(second({"dragoman", "train", "--preset", "tiny", "d"}).empty());
  CHECK(offers(second({"dragoman", "translate", "-m", "run", ""}), "--beam-size"));
}

TEST_CASE("completion offers files, those with spaces too", "[unit]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "my config.json") << "{}";
  CHECK(complete({"dragoman", "train", "-c", "my"}, folder.path()) == Words{"my config.json"});
}

TEST_CASE("completion offers no files where a number or a name is wanted", "[unit]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "4.txt") << "4";
  CHECK(complete({"dragoman", "translate", "--beam-size", "4"}, folder.path()).empty());
  CHECK(complete({"dragoman", "translate", "--checkpoint", "4"}, folder.path()).empty());
}

TEST_CASE("the value of an option is not taken for a subcommand", "[unit]") {
  CHECK(complete({"dragoman", "train", "-o", "average", "--pres"}) == Words{"--preset"});
}

namespace {

/// Whether `shell` is there; says so where it is not.
bool have(const std::string& shell) {
  if (test::run({"sh", "-c", "command -v " + shell}).exit_code == 0) return true;
  test::skip(shell + " is not installed");
  return false;
}

std::string script_of(const std::string& shell) {
  const auto result = test::run({test::program(), "completion", shell});
  CHECK(result.exit_code == 0);
  return result.out;
}

/// What fish offers at the end of `line`, without descriptions.
Words fish_offers(const std::string& line) {
  const test::TemporaryDirectory folder;  // the script is longer than an argument may be
  const auto script = (folder / "dragoman.fish").string();
  std::ofstream(script) << script_of("fish");
  const auto result =
      test::run({"fish", "--no-config", "-c", "source " + script + "; complete -C '" + line + "'"});
  CHECK(result.err.empty());
  Words offered;
  std::istringstream lines(result.out);
  for (std::string word; std::getline(lines, word);)
    offered.push_back(word.substr(0, word.find('\t')));
  return offered;
}

}  // namespace

TEST_CASE("fish offers commands, options, their values and keys", "[unit]") {
  if (!have("fish")) return;
  CHECK(fish_offers("dragoman trai") == Words{"train"});
  CHECK(offers(fish_offers("dragoman tokenize "), "encode"));
  CHECK(fish_offers("dragoman train --pres") == Words{"--preset"});
  CHECK(fish_offers("dragoman train --preset b") == Words{"base", "big"});
  CHECK(fish_offers("dragoman train --set model.num_h") == Words{"model.num_heads="});
  CHECK(fish_offers("dragoman train --set model.norm=") ==
        Words{"model.norm=post", "model.norm=pre"});
  CHECK(fish_offers("dragoman train --set seed=1 model.num_h") == Words{"model.num_heads="});
  CHECK(fish_offers("dragoman train --set=model.num_h") == Words{"--set=model.num_heads="});
  CHECK(fish_offers("dragoman evaluate --metrics bleu chrf+") == Words{"chrf++"});
  CHECK(fish_offers("dragoman train -o average --pres") == Words{"--preset"});
}

TEST_CASE("zsh offers commands, options, their values and keys", "[unit]") {
  if (!have("zsh")) return;
  // What the script would add, printed: the completion system itself needs a terminal.
  const std::string driver = script_of("zsh") + R"(
compadd() { while [[ "$1" != "--" ]]; do shift; done; shift; print -l -- "$@" }
compset() { PREFIX="${PREFIX#*=}" }
_files() { print files }
words=(dragoman "$@"); CURRENT=${#words}; PREFIX="${words[-1]}"; _dragoman
)";
  const auto zsh = [&driver](const Words& line) {
    Words command = {"zsh", "-f", "-c", "compdef() { : }\n" + driver, "zsh"};
    command.insert(command.end(), line.begin(), line.end());
    const auto result = test::run(command);
    CHECK(result.err.empty());
    return result.out;
  };
  CHECK(test::contains("tokenize\n").match(zsh({"tr"})));
  CHECK(test::contains("encode\n").match(zsh({"tokenize", ""})));
  CHECK(test::contains("--preset\n").match(zsh({"train", "-o", "average", "--pres"})));
  CHECK(zsh({"train", "--preset", ""}) == "tiny\nsmall\nbase\nbig\nauto\n");
  CHECK(zsh({"train", "--set", "model.norm="}) == "post\npre\n");
  CHECK(zsh({"train", "--set", "seed=1", "model.norm="}) == "post\npre\n");
  CHECK(zsh({"train", "-c", ""}) == "files\n");
  CHECK(zsh({"train", "--train-source", "train.en", ""}) == "files\n");
}

}  // namespace completion_test
