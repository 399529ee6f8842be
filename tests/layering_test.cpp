#include "support/catch.h"
#include "support/paths.h"
#include "support/shared.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace layering_test {

using nlohmann::json;

namespace {

const std::filesystem::path source_root = test::source_folder();
const std::filesystem::path library = source_root / "lib/dragoman";

using Names = std::set<std::string>;

/// tests/layers.json: each folder with those that it may include.
std::map<std::string, Names> read_layers() {
  std::map<std::string, Names> layers;
  const json table = test::read_json(source_root / "tests/layers.json");
  for (const auto& folder : table.at("folders"))
    layers[folder.at("name")] = folder.at("may_include").get<Names>();
  return layers;
}

/// The names in the `#include` lines of one file.
std::vector<std::string> includes_of(const std::filesystem::path& file) {
  std::vector<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.find("#include") == std::string::npos) continue;
    const auto open = line.find_first_of("\"<");
    const auto close = line.find_first_of("\">", open + 1);
    if (close != std::string::npos) found.push_back(line.substr(open + 1, close - open - 1));
  }
  return found;
}

/// Each include of each C++ file of `folder`.
template <typename Visit>
void each_include(const std::string& folder, Visit visit) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(library / folder)) {
    const auto extension = entry.path().extension();
    if (extension != ".h" && extension != ".cpp") continue;
    for (const auto& name : includes_of(entry.path())) visit(entry.path(), name);
  }
}

/// "core" of "dragoman/core/error.h", empty for external headers.
std::string library_folder(const std::string& include) {
  const std::string prefix = "dragoman/";
  if (include.rfind(prefix, 0) != 0) return {};
  return include.substr(prefix.size(), include.find('/', prefix.size()) - prefix.size());
}

bool is_torch(const std::string& include) {
  const Names roots = {"torch", "ATen", "c10"};
  return roots.count(include.substr(0, include.find('/'))) == 1;
}

Names existing_folders() {
  Names folders;
  for (const auto& entry : std::filesystem::directory_iterator(library))
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  return folders;
}

}  // namespace

TEST_CASE("each folder of the library has its line in the table of layers", "[unit]") {
  const auto layers = read_layers();
  for (const auto& folder : existing_folders()) {
    CAPTURE(folder);
    CHECK(layers.count(folder) == 1);
  }
}

TEST_CASE("a folder may include only folders that precede it in the table", "[unit]") {
  const json table = test::read_json(source_root / "tests/layers.json");
  Names before;
  for (const auto& folder : table.at("folders")) {
    for (const auto& name : folder.at("may_include").get<Names>()) {
      CAPTURE(folder.at("name").get<std::string>(), name);
      CHECK(before.count(name) == 1);
    }
    before.insert(folder.at("name").get<std::string>());
  }
}

TEST_CASE("no file includes a folder that its own folder may not include", "[unit]") {
  const auto layers = read_layers();
  int seen = 0;
  for (const auto& folder : existing_folders()) {
    each_include(folder, [&](const std::filesystem::path& file, const std::string& include) {
      const std::string other = library_folder(include);
      if (other.empty() || other == folder || layers.count(folder) == 0) return;
      ++seen;
      CAPTURE(std::filesystem::relative(file, library).string(), include);
      CHECK(layers.at(folder).count(other) == 1);
    });
  }
  CHECK(seen > 50);
}

TEST_CASE("no folder without LibTorch includes one of its headers", "[unit]") {
  const auto base = test::read_json(source_root / "tests/layers.json").at("base").get<Names>();
  for (const auto& folder : base) {
    each_include(folder, [&](const std::filesystem::path& file, const std::string& include) {
      CAPTURE(std::filesystem::relative(file, library).string(), include);
      CHECK_FALSE(is_torch(include));
    });
  }
}

TEST_CASE("folders without LibTorch include only such folders", "[unit]") {
  const auto base = test::read_json(source_root / "tests/layers.json").at("base").get<Names>();
  const auto layers = read_layers();
  for (const auto& folder : base)
    for (const auto& name : layers.at(folder)) {
      CAPTURE(folder, name);
      CHECK(base.count(name) == 1);
    }
}

}  // namespace layering_test
