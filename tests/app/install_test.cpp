#include "app/small_run.h"
#include "support/catch.h"
#include "support/program.h"
#include "support/skip.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
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

/// The value of a variable of this build's CMake.
std::string cmake_value(const std::string& name) {
  std::ifstream cache(build_folder / "CMakeCache.txt");
  for (std::string line; std::getline(cache, line);)
    if (line.starts_with(name + ':')) return line.substr(line.find('=') + 1);
  return {};
}

void expect_success(const std::vector<std::string>& command) {
  const auto result = test::run(command, {.timeout_seconds = 500.0});
  CAPTURE(command, result.out, result.err);
  REQUIRE(result.exit_code == 0);
}

/// Installs the build in a folder below `folder`, then moves it.
fs::path installed_and_moved(const test::TemporaryDirectory& folder) {
  expect_success({"cmake", "--install", build_folder.string(), "--prefix",
                  (folder / "first").string(), "--strip"});
  fs::rename(folder / "first", folder / "second");
  return folder / "second";
}

void expect_safe_search_path(const fs::path& program) {
  for (const auto& folder : search_path(program)) {
    CAPTURE(program, folder);
    CHECK((folder.starts_with('/') || folder == "$ORIGIN" || folder.starts_with("$ORIGIN/")));
  }
}

}  // namespace

TEST_CASE("no program of the build looks for libraries in the current directory", "[e2e]") {
  REQUIRE_FALSE(search_path(test::program()).empty());
  expect_safe_search_path(test::program());
  for (const std::string side : {"base", "torch", "library", "app"})
    expect_safe_search_path(build_folder / "tests" / ("dragoman_" + side + "_tests"));
  for (const char* library : {"lib/libdragoman.so", "libdragoman_torch.so"})
    expect_safe_search_path(build_folder / library);
}

TEST_CASE("the library stays in a process that unloads a plugin", "[e2e]") {
  const auto facts = test::run({"readelf", "-d", (build_folder / "lib/libdragoman.so").string()});
  REQUIRE(facts.exit_code == 0);
  CHECK_THAT(facts.out, test::contains("NODELETE"));
}

TEST_CASE("the library shows what its header declares and nothing else", "[e2e]") {
  const auto symbols =
      test::run({"nm", "-DC", "--defined-only", (build_folder / "lib/libdragoman.so").string()});
  REQUIRE(symbols.exit_code == 0);
  std::set<std::string> names;
  std::istringstream lines(symbols.out);
  for (std::string line; std::getline(lines, line);) {
    auto name = line.substr(line.find(' ') + 3);
    for (const std::string kind : {"typeinfo name for ", "typeinfo for ", "vtable for "})
      if (name.starts_with(kind)) name = name.substr(kind.size());
    names.insert(name.substr(0, name.find_first_of("([")));
  }
  CHECK(names == std::set<std::string>{"dragoman::Cancelled",
                                       "dragoman::ContractError",
                                       "dragoman::DataError",
                                       "dragoman::Error",
                                       "dragoman::FormatError",
                                       "dragoman::InternalError",
                                       "dragoman::LineError",
                                       "dragoman::OptionsError",
                                       "dragoman::Translator::description",
                                       "dragoman::Translator::info",
                                       "dragoman::Translator::load",
                                       "dragoman::Translator::options",
                                       "dragoman::Translator::score",
                                       "dragoman::Translator::source_pieces",
                                       "dragoman::Translator::translate",
                                       "dragoman::Translator::with",
                                       "dragoman::library_version",
                                       "dragoman::log_level",
                                       "dragoman::set_log_level",
                                       "dragoman::set_log_sink"});
}

TEST_CASE("an installed tree works where it was moved, from any folder", "[e2e]") {
  const test::TemporaryDirectory folder;
  const auto tree = installed_and_moved(folder);
  const auto program = tree / "bin/dragoman";

  expect_safe_search_path(program);
  const auto torch_library = tree / "lib/dragoman/libdragoman_torch.so";
  for (const auto& file : {program, tree / "lib/libdragoman.so", torch_library}) {
    CAPTURE(file);
    for (const auto& found : search_path(file)) CHECK(found.starts_with("$ORIGIN"));
    CHECK(test::content_of(file).find(test::source_folder().string() + '/') == std::string::npos);
    const auto libraries = test::run({"ldd", file.string()}).out;
    CAPTURE(libraries);
    CHECK(libraries.find("not found") == std::string::npos);
    CHECK((libraries.find("libtorch_cpu.so") != std::string::npos) == (file == torch_library));
  }

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
        "share/doc/dragoman/LICENSE", "share/doc/dragoman/copyright",
        "share/doc/dragoman-runtime/copyright"}) {
    CAPTURE(name);
    CHECK(fs::file_size(tree / name) > 100);
  }
}

TEST_CASE("make uninstall removes what make install put there, and nothing else", "[e2e]") {
  if (build_folder != test::source_folder() / "build")
    return test::skip("make installs build/ alone");
  const test::TemporaryDirectory folder;
  const auto make = [&](const std::string& goal, const fs::path& tree) {
    // What is built is not built again.
    return test::run({"make", "-C", test::source_folder().string(), "-o", "library", goal,
                      "PREFIX=" + tree.string()});
  };
  const auto tree = folder / "a tree", moved = folder / "moved";
  REQUIRE(make("install", tree).exit_code == 0);
  fs::rename(tree, moved);
  CHECK(fs::exists(moved / "bin/dragoman"));
  std::ofstream(moved / "lib/other.txt") << "of somebody else";
  const auto removed = make("uninstall", moved);
  CAPTURE(removed.err);
  CHECK(removed.exit_code == 0);
  std::vector<fs::path> left;
  for (const auto& entry : fs::recursive_directory_iterator(moved)) left.push_back(entry.path());
  CHECK(left == std::vector<fs::path>{moved / "lib", moved / "lib/other.txt"});
  const auto again = make("uninstall", moved);
  CHECK(again.exit_code != 0);
  CHECK_THAT(again.err, test::contains("is missing; give the PREFIX of make install"));
}

TEST_CASE("the runtime alone translates, and says what it lacks for the rest", "[e2e]") {
  const test::TemporaryDirectory folder;
  expect_success({"cmake", "--install", build_folder.string(), "--prefix",
                  (folder / "tree").string(), "--strip", "--component", "runtime"});
  const auto program = (folder / "tree/bin/dragoman").string();
  std::uintmax_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "tree"))
    if (entry.is_regular_file() && !entry.is_symlink()) bytes += entry.file_size();
  CHECK(bytes < 12'000'000);

  const auto run = test::capitals_run().string(), text = test::joined(test::learned_lines(3));
  const auto translated = test::run({program, "translate", "-m", run}, {.text = text}).out;
  REQUIRE(test::all_differ(test::split_lines(translated)));
  CHECK(translated == test::dragoman({"translate", "-m", run}, {.text = text}).out);
  const auto help = test::run({program, "--help"});
  CHECK(help.exit_code == 0);
  CHECK_THAT(help.out, test::contains("translate") && test::contains("train"));
  CHECK_THAT(test::run({program, "--version"}).out,
             test::contains("LibTorch not loaded: libdragoman_torch.so is not installed"));
  const auto train = test::run({program, "train", "--preset", "tiny"});
  CHECK(train.exit_code == 1);
  CHECK_THAT(train.err,
             test::contains("train: needs LibTorch, but libdragoman_torch.so is not installed"));
  const auto by_modules =
      test::run({program, "translate", "-m", run, "--no-cache"}, {.text = text});
  CHECK(by_modules.exit_code == 1);
  CHECK_THAT(by_modules.err, test::contains("search.cache=false needs LibTorch"));
}

TEST_CASE("pkg-config names what a program needs, wherever the tree was moved", "[e2e]") {
  if (std::system("pkg-config --version > /dev/null 2>&1") != 0)
    return test::skip("pkg-config is not installed");
  const test::TemporaryDirectory folder;
  const auto tree = installed_and_moved(folder);
  const auto built =
      test::run({"sh", "-c",
                 R"(flags=$(PKG_CONFIG_PATH="$2" pkg-config --cflags --libs dragoman)
          ${CXX:-c++} -std=c++20 "$1" $flags -Wl,-rpath,"$2/.." -o "$3")",
                 "sh", (test::source_folder() / "lib/examples/translate_lines.cpp").string(),
                 (tree / "lib/pkgconfig").string(), (folder / "translate_lines").string()});
  CAPTURE(built.err);
  REQUIRE(built.exit_code == 0);
  const auto run = test::capitals_run().string(), text = test::joined(test::learned_lines(3));
  const auto translated = test::run({(folder / "translate_lines").string(), run}, {.text = text});
  CAPTURE(translated.err);
  REQUIRE(test::all_differ(test::split_lines(translated.out)));
  CHECK(translated.out == test::dragoman({"translate", "-m", run}, {.text = text}).out);
}

TEST_CASE("another program adds the sources to its build without LibTorch", "[e2e]") {
  const test::TemporaryDirectory folder;
  const std::string embedding =
      "set(DRAGOMAN_WITH_TORCH OFF)\n"
      "set(DRAGOMAN_BUILD_PROGRAM OFF)\n"
      "add_subdirectory(dragoman EXCLUDE_FROM_ALL)\n"
      "target_link_libraries(translator PRIVATE dragoman::dragoman)\n";
  CHECK_THAT(test::content_of(test::source_folder() / "lib/README.md"),
             test::contains("```cmake\n" + embedding + "```"));
  fs::create_directory_symlink(test::source_folder(), folder / "dragoman");
  std::ofstream(folder / "translator.cpp") << "int main() {}\n";
  std::ofstream(folder / "CMakeLists.txt") << "cmake_minimum_required(VERSION 3.25)\n"
                                              "project(translator LANGUAGES C CXX)\n"
                                              "add_executable(translator translator.cpp)\n"
                                           << embedding;
  const auto build = folder / "build";
  expect_success({"cmake", "-S", folder.path().string(), "-B", build.string(),
                  "-DDRAGOMAN_CACHE=" + cmake_value("DRAGOMAN_CACHE")});

  const auto commands = test::content_of(build / "compile_commands.json");
  CHECK_THAT(commands, test::contains("/lib/dragoman/translator.cpp"));
  CHECK(commands.find("/app/") == std::string::npos);
  const auto cache = test::content_of(build / "CMakeCache.txt");
  CHECK(cache.find("Torch_DIR") == std::string::npos);
  CHECK(cache.find("CLI11_DIR") == std::string::npos);
}

TEST_CASE("the header says what it cannot be compiled with", "[e2e]") {
  const auto compile = [](const std::string& flag) {
    const auto example = test::source_folder() / "lib/examples/translate_lines.cpp";
    return test::run({"sh", "-c", R"(${CXX:-c++} -fsyntax-only -I "$1" -I "$2" $3 "$4")", "sh",
                      (test::source_folder() / "lib").string(), (build_folder / "lib").string(),
                      flag, example.string()})
        .err;
  };
  CHECK(compile("-std=c++20").empty());
  CHECK_THAT(compile("-std=c++17"), test::contains("dragoman/translator.h needs C++20"));
  CHECK_THAT(compile("-std=c++20 -D_GLIBCXX_DEBUG"), test::contains("leave out _GLIBCXX_DEBUG"));
}

TEST_CASE("other programs find an installed tree and build against it", "[e2e][slow]") {
  const test::TemporaryDirectory folder;
  const auto tree = installed_and_moved(folder);
  const auto build = (folder / "build").string();
  expect_success({"cmake", "-S", (test::source_folder() / "lib/examples").string(), "-B", build,
                  "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_PREFIX_PATH=" + tree.string(),
                  "-DTorch_DIR=" + cmake_value("Torch_DIR")});
  expect_success({"cmake", "--build", build});

  const auto translate_lines = folder / "build/translate_lines";
  const auto libraries = test::run({"ldd", translate_lines.string()}).out;
  CAPTURE(libraries);
  CHECK(libraries.find((tree / "lib").lexically_normal().string()) != std::string::npos);
  const auto run = test::capitals_run().string();
  const auto learned = test::learned_lines(2);
  const auto text = test::joined({learned[0], "", learned[1]});
  const auto translated = test::run({translate_lines.string(), run}, {.text = text});
  CHECK(translated.exit_code == 0);
  CHECK(translated.out == test::dragoman({"translate", "-m", run}, {.text = text}).out);
  const auto lines = test::split_lines(translated.out);
  REQUIRE(lines.size() == 3);
  CHECK(lines[1].empty());
  CHECK(test::all_differ({lines[0], lines[2]}));
  const auto refused = test::run({translate_lines.string(), (folder / "no-run").string()});
  CHECK(refused.exit_code == 1);
  CHECK_THAT(refused.err, test::contains("no-run"));

  const auto forward_pass = test::run({(folder / "build/forward_pass").string()});
  CHECK(forward_pass.exit_code == 0);
  CHECK(forward_pass.out == "[2, 5, 100]\n");
}

}  // namespace install_test
