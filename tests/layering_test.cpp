#include "support/catch.h"
#include "support/paths.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace layering_test {

namespace {

const std::filesystem::path source_root = test::source_folder();
const std::filesystem::path library = source_root / "lib/dragoman";

using Names = std::set<std::string>;

/// A line of the table "Layers" of lib/README.md.
struct Layer {
  std::string folder;
  Names includes;
};

/// The words of a cell that are code: `core`, `config`.
Names code_words(const std::string& cell) {
  Names words;
  for (auto open = cell.find('`'); open != std::string::npos;) {
    const auto close = cell.find('`', open + 1);
    words.insert(cell.substr(open + 1, close - open - 1));
    open = cell.find('`', close + 1);
  }
  return words;
}

/// The table, lowest folder first.
std::vector<Layer> read_table() {
  std::ifstream in(source_root / "lib/README.md");
  std::string line;
  while (std::getline(in, line) && line != "## Layers") {
  }
  std::vector<Layer> table;
  while (std::getline(in, line) && line.rfind("## ", 0) != 0) {
    if (line.rfind("| `", 0) != 0) continue;
    const auto second = line.find('|', 1), third = line.find('|', second + 1);
    const auto folder = code_words(line.substr(0, second));
    REQUIRE(folder.size() == 1);
    table.push_back({.folder = *folder.begin(), .includes = code_words(line.substr(third))});
  }
  REQUIRE(table.size() > 10);
  return table;
}

std::map<std::string, Names> read_layers() {
  std::map<std::string, Names> layers;
  for (const auto& layer : read_table()) layers[layer.folder] = layer.includes;
  return layers;
}

/// The folders built without LibTorch: those up to `inference`.
Names base_folders() {
  Names base;
  for (const auto& layer : read_table()) {
    base.insert(layer.folder);
    if (layer.folder == "inference") return base;
  }
  return base;
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

TEST_CASE("the table of layers has a line for each folder of the library and for no other",
          "[unit]") {
  Names in_table;
  for (const auto& layer : read_table()) in_table.insert(layer.folder);
  CHECK(in_table == existing_folders());
}

TEST_CASE("a folder may include only folders that precede it in the table", "[unit]") {
  Names before;
  for (const auto& layer : read_table()) {
    for (const auto& name : layer.includes) {
      CAPTURE(layer.folder, name);
      CHECK(before.count(name) == 1);
    }
    before.insert(layer.folder);
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
  const auto base = base_folders();
  for (const auto& folder : base) {
    each_include(folder, [&](const std::filesystem::path& file, const std::string& include) {
      CAPTURE(std::filesystem::relative(file, library).string(), include);
      CHECK_FALSE(is_torch(include));
    });
  }
}

TEST_CASE("each file of a folder is listed there, so that headers are installed", "[unit]") {
  for (const auto& folder : existing_folders()) {
    std::ifstream in(library / folder / "CMakeLists.txt");
    Names listed;
    for (std::string word; in >> word;) listed.insert(word.substr(0, word.find(')')));
    REQUIRE_FALSE(listed.empty());
    for (const auto& entry : std::filesystem::directory_iterator(library / folder)) {
      const auto extension = entry.path().extension();
      if (extension != ".h" && extension != ".cpp") continue;
      CAPTURE(folder, entry.path().filename().string());
      CHECK(listed.count(entry.path().stem().string()) == 1);
    }
  }
}

TEST_CASE("folders without LibTorch include only such folders", "[unit]") {
  const auto base = base_folders();
  const auto layers = read_layers();
  for (const auto& folder : base)
    for (const auto& name : layers.at(folder)) {
      CAPTURE(folder, name);
      CHECK(base.count(name) == 1);
    }
}

}  // namespace layering_test
