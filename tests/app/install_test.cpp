#include "support/catch.h"
#include "support/program.h"

#include <filesystem>
#include <sstream>
#include <string>

namespace install_test {

namespace fs = std::filesystem;

namespace {

const fs::path build_folder = fs::path(test::program()).parent_path();

/// The folders in which the loader looks for the libraries of `program`.
std::vector<std::string> search_path(const fs::path& program) {
  const auto result = test::run({"readelf", "-d", program.string()});
  REQUIRE(result.exit_code == 0);
  std::vector<std::string> folders;
  std::istringstream lines(result.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("PATH)") == std::string::npos) continue;
    const auto open = line.find('[');
    // A separator at the end, too, has an element behind it: an empty one.
    std::string rest = line.substr(open + 1, line.rfind(']') - open - 1) + ':';
    for (std::size_t colon = 0; (colon = rest.find(':')) != std::string::npos;
         rest.erase(0, colon + 1))
      folders.push_back(rest.substr(0, colon));
  }
  return folders;
}

void expect_safe_search_path(const fs::path& program) {
  for (const auto& folder : search_path(program)) {
    CAPTURE(program, folder);
    CHECK((folder.starts_with('/') || folder.starts_with("$ORIGIN/")));
  }
}

}  // namespace

TEST_CASE("no program of the build looks for libraries in the current directory", "[e2e]") {
  REQUIRE_FALSE(search_path(test::program()).empty());
  expect_safe_search_path(test::program());
  for (const std::string side : {"base", "torch", "app"})
    expect_safe_search_path(build_folder / "tests" / ("dragoman_" + side + "_tests"));
}

TEST_CASE("an installed tree works where it was moved, from any folder", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto installed = test::run({"cmake", "--install", build_folder.string(), "--prefix",
                                    (folder / "first").string(), "--strip"});
  CAPTURE(installed.out, installed.err);
  REQUIRE(installed.exit_code == 0);
  fs::rename(folder / "first", folder / "second");
  const auto program = folder / "second/bin/dragoman";

  expect_safe_search_path(program);
  for (const auto& found : search_path(program)) CHECK(found.starts_with("$ORIGIN/"));
  const auto libraries = test::run({"ldd", program.string()}).out;
  CAPTURE(libraries);
  CHECK(libraries.find((folder / "second").lexically_normal().string()) != std::string::npos);
  CHECK(libraries.find("not found") == std::string::npos);

  const auto empty_folder = folder / "elsewhere";
  fs::create_directory(empty_folder);
  const auto run = [&](const std::vector<std::string>& arguments) {
    return test::run(test::with({program.string()}, arguments), {.directory = empty_folder});
  };
  CHECK(run({"--version"}).out == test::dragoman({"--version"}).out);
  const auto experiments = run({"experiment", "list"});
  CHECK(experiments.exit_code == 0);
  CHECK_THAT(experiments.out, test::contains("warmup"));

  for (const std::string name :
       {"share/dragoman/configs/demo.json", "share/dragoman/data/demo/train.en.gz",
        "share/man/man1/dragoman.1", "share/bash-completion/completions/dragoman",
        "share/zsh/site-functions/_dragoman", "share/fish/vendor_completions.d/dragoman.fish",
        "share/doc/dragoman/LICENSE"}) {
    CAPTURE(name);
    CHECK(fs::file_size(folder / "second" / name) > 100);
  }
}

}  // namespace install_test
