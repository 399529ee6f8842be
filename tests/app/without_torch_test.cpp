#include "app/small_run.h"
#include "support/catch.h"
#include "support/program.h"

#include <filesystem>
#include <string>
#include <vector>

namespace without_torch_test {

namespace fs = std::filesystem;

TEST_CASE("scoring, evaluating, tokenizing and reading a run need no LibTorch", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto alone = (folder / "dragoman").string();
  fs::copy_file(test::program(), alone);
  const auto letters = test::small_run().parent_path();
  const std::string run = test::small_run().string(), source = (letters / "a.src").string(),
                    target = (letters / "a.tgt").string();
  fs::path tokenizer;
  for (const auto& file : fs::recursive_directory_iterator(run))
    if (file.path().filename() == "tokenizer.model") tokenizer = file.path();
  CHECK_THAT(test::run({alone, "--version"}).out, test::contains("LibTorch not loaded"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"score", "-m", run, "--source", source, "--target", target},
        {"evaluate", "-m", run, "--source", source, "--reference", target},
        {"evaluate", "--hypothesis", source, "--reference", target},
        {"tokenize", "encode", "-m", tokenizer.string(), "-i", source},
        {"info", "-m", run}}) {
    const auto result = test::run(test::with({alone}, command));
    CAPTURE(command, result.err);
    CHECK(result.exit_code == 0);
    CHECK_FALSE(result.out.empty());
    CHECK(result.out == test::dragoman(command).out);
  }
}

}  // namespace without_torch_test
