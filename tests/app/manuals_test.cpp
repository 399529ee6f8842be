#include "support/catch.h"
#include "support/model_folders.h"
#include "support/program.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace manuals_test {

namespace {

/// A fenced block of a manual: its language and its lines.
struct Block {
  std::string language;
  std::vector<std::string> lines;
};

std::vector<Block> blocks_of(const std::filesystem::path& manual) {
  std::vector<Block> blocks;
  std::ifstream in(manual);
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("```")) {
      if (!inside) blocks.push_back({.language = line.substr(3), .lines = {}});
      inside = !inside;
    } else if (inside) {
      blocks.back().lines.push_back(line);
    }
  }
  return blocks;
}

/// The commands of a manual, in its order. Of a `console` block those are the lines behind "$ "
/// with the lines indented by four that continue them, of an `sh` block all lines.
std::string commands_of(const std::filesystem::path& manual) {
  std::string script;
  for (const auto& block : blocks_of(manual)) {
    bool continued = false;
    for (const auto& line : block.lines) {
      if (block.language == "sh") script += line + '\n';
      if (block.language != "console") continue;
      continued = line.starts_with("$ ") || (continued && line.starts_with("    "));
      if (continued) script += line.substr(line.starts_with("$ ") ? 2 : 0) + '\n';
    }
  }
  return script;
}

/// Stands before the commands of a manual: they run as written, except that models are small and
/// trained for a few updates, launchers start one process, and what builds or takes minutes is only
/// looked up.
constexpr const char* prelude = R"(
set -Eeuo pipefail
trap 'echo "failed: $BASH_COMMAND" >&2' ERR
small=(model.d_model=16 model.d_ff=32 model.num_heads=2 model.encoder_layers=1
  model.decoder_layers=1 train.max_steps=4 train.checkpoint_every=2
  train.batch_tokens=400 train.workers=1)
dragoman() {
  local settings=("${small[@]}")  # a converted model keeps its size
  case " $* " in *" --start-from runs/published "*) settings=("${small[@]:5}") ;; esac
  case "$1 ${2:-}" in
    "experiment run") "$DRAGOMAN" experiment list > listed && grep -q "$3" listed ;;
    distill* | back-translate*)  # a model of 4 updates ends no translation by itself
      "$DRAGOMAN" "$@" --search search.force_eos=true search.no_repeat_ngram=1 \
        --set "${settings[@]}" $(pieces_of "$* ") ;;
    train* | "lm train" | "classify train")
      "$DRAGOMAN" "$@" --set "${settings[@]}" $(pieces_of "$* ") ;;
    *) "$DRAGOMAN" "$@" ;;
  esac
}
# With few pieces, what translates for another model writes more than blank lines after 4 updates.
pieces_of() {
  case "$1" in *" -o runs/demo "* | *" -o runs/other "* | *" -o runs/reverse "*)
    echo tokenizer.vocab_size=120 tokenizer.type=bpe ;;
  esac
}
launched() {
  while [ "$1" != dragoman ]; do
    [ "$1" != mpirun ] || { "$@"; return; }
    shift
  done
  "$@" --distributed off
}
mpirun() { launched "$@"; }
srun() { launched "$@"; }
salloc() { launched "$@"; }
make() { command make -C "$SOURCE" -n "$@" > made; }
# Of a program that install_test.cpp builds and runs.
cmake() {
  if [ "$1" = -S ]; then [ -f "$SOURCE/$2/CMakeLists.txt" ] && mkdir "$4"; return; fi
  built "$2/translate_lines"
}
g++() { [ -f "$SOURCE/$2" ] && built "${@: -1}"; }
pkg-config() { [ "$*" = "--cflags --libs dragoman" ]; }
built() { printf '#!/bin/sh\n[ "$*" = runs/demo ]\n' > "$1" && chmod +x "$1"; }
)";

/// The first lines of a text of the demo corpus, packed like the whole.
void shorten(const std::filesystem::path& from, const std::filesystem::path& to, int lines) {
  const auto result =
      test::run({"bash", "-c", "gzip -dc \"$0\" | head -n \"$1\" | gzip -n > \"$2\"", from.string(),
                 std::to_string(lines), to.string()});
  REQUIRE(result.exit_code == 0);
}

/// A folder in which a manual's commands find what they name: the configurations, a short demo
/// corpus, and a text of the reader's own.
void furnish(const std::filesystem::path& folder) {
  const auto source = test::source_folder();
  std::filesystem::create_directories(folder / "data/demo");
  std::filesystem::create_directories(folder / "runs");
  std::filesystem::create_directory_symlink(source / "configs", folder / "configs");
  for (const auto& [model, name] :
       {std::pair{test::one_vocabulary_folder(), "opus-mt-en-de"},
        {test::folder_of_family("m2m100"), "m2m100_418M"},
        {test::marian_folder_with({".npz", "decoder.yml", "source.spm"}), "opus-package"},
        {test::model_folder("Marian's .bin alone",
                            [](const auto& one, const auto& golden) {
                              return !golden.contains("family") &&
                                     !test::file_ending(one, ".bin").empty() &&
                                     test::file_ending(one, ".npz").empty();
                            }),
         "firefox-ende"}})
    std::filesystem::create_directory_symlink(model, folder / name);
  for (const std::string side : {"en", "de"}) {
    for (const auto& [set, lines] : {std::pair{"train", 400}, {"valid", 60}, {"test", 20}}) {
      const auto name = std::string(set) + '.' + side + ".gz";
      shorten(source / "data/demo" / name, folder / "data/demo" / name, lines);
    }
  }
  const auto unpacked =
      test::run({"bash", "-c",
                 "for s in en de; do for p in train:train valid:dev test:test; do "
                 "gzip -dc data/demo/${p%:*}.$s.gz > ${p#*:}.$s; done; done; cp test.en new.en"},
                {.directory = folder});
  REQUIRE(unpacked.exit_code == 0);
}

/// Runs the commands of a manual as written, in a folder of their own.
test::ProcessResult run_manual(const std::string& name) {
  const test::TemporaryDirectory folder;
  furnish(folder.path());
  const auto commands = commands_of(test::source_folder() / name);
  REQUIRE_FALSE(commands.empty());
  return test::run({"bash", "-c", prelude + commands},
                   {.directory = folder.path(),
                    .variables = {{"DRAGOMAN", test::program()},
                                  {"SOURCE", test::source_folder().string()},
                                  {"OMP_NUM_THREADS", "1"}},
                    .timeout_seconds = 500.0});
}

}  // namespace

TEST_CASE("each command of the README runs", "[e2e]") {
  const auto result = run_manual("README.md");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("each command of the manual of the commands runs", "[e2e][slow]") {
  const auto result = run_manual("app/README.md");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
}

TEST_CASE("each command of the pages on configurations and corpora runs", "[e2e]") {
  for (const std::string page :
       {"configs/README.md", "configs/experiments/README.md", "data/README.md"}) {
    const auto result = run_manual(page);
    CAPTURE(page, result.err);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("each command of the library's manual runs, and its program is the example", "[e2e]") {
  const auto result = run_manual("lib/README.md");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  std::string program;
  for (const auto& block : blocks_of(test::source_folder() / "lib/README.md"))
    for (const auto& line : block.lines)
      if (block.language == "cpp") program += line + '\n';
  const auto example = test::content_of(test::source_folder() / "lib/examples/translate_lines.cpp");
  CHECK(example.substr(example.find('\n') + 1) == program);
}

TEST_CASE("each command in a page stands in a block that is run", "[unit]") {
  for (const std::string name : {"README.md", "app/README.md", "configs/README.md",
                                 "configs/experiments/README.md", "data/README.md"}) {
    CAPTURE(name);
    std::ifstream in(test::source_folder() / name);
    for (std::string line; std::getline(in, line);) {
      CAPTURE(line);
      CHECK_FALSE(line.starts_with("    build/dragoman"));
      CHECK_FALSE(line.starts_with("    dragoman"));
      CHECK_FALSE(line.starts_with("    $ "));
    }
    for (const auto& block : blocks_of(test::source_folder() / name)) {
      CAPTURE(block.language);
      const bool known = block.language == "console" || block.language == "sh" ||
                         block.language == "json" || block.language == "text";
      CHECK(known);
    }
  }
}

}  // namespace manuals_test
