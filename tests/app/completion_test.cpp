#include "support/catch.h"
#include "support/paths.h"
#include "support/process.h"
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
  const std::string driver = script + "\nCOMP_WORDS=(" + quoted(words) + ")\nCOMP_CWORD=" +
                             std::to_string(words.size() - 1) +
                             "\n_dragoman\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n";
  const auto result =
      test::run({"bash", "-u", "-c", driver},
                {.text = {}, .directory = directory, .variables = {}});
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
}

TEST_CASE("completion offers the options of the subcommand and the global ones", "[unit]") {
  CHECK(complete({"dragoman", "train", "--pres"}) == Words{"--preset"});
  CHECK(complete({"dragoman", "train", "--lo"}) == Words{"--log"});
  CHECK(complete({"dragoman", "--log", "debug", "train", "--pres"}) == Words{"--preset"});
}

TEST_CASE("completion offers the values an option chooses from", "[unit]") {
  CHECK(complete({"dragoman", "train", "--preset", "b"}) == Words{"base", "big"});
  CHECK(complete({"dragoman", "--log", ""}) == Words{"error", "warning", "info", "debug"});
  CHECK(complete({"dragoman", "completion", "b"}) == Words{"bash"});
}

TEST_CASE("completion offers configuration keys and their names behind --set", "[unit]") {
  CHECK(complete({"dragoman", "train", "--set", "model.num"}) == Words{"model.num_heads="});
  CHECK(complete({"dragoman", "train", "--set", "model.norm", "=", "p"}) == Words{"post", "pre"});
  CHECK(complete({"dragoman", "train", "--set", "model.norm", "="}) == Words{"post", "pre"});
  CHECK(complete({"dragoman", "train", "--set", "seed", "=", ""}).empty());
}

TEST_CASE("completion offers files, those with spaces too", "[unit]") {
  const test::TemporaryDirectory folder;
  std::ofstream(folder / "my config.json") << "{}";
  CHECK(complete({"dragoman", "train", "-c", "my"}, folder.path()) == Words{"my config.json"});
}

TEST_CASE("the value of an option is not taken for a subcommand", "[unit]") {
  CHECK(complete({"dragoman", "train", "-o", "average", "--pres"}) == Words{"--preset"});
}

}  // namespace completion_test
