#include "corpus.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

/// Writes the demo corpus as plain text: demo_corpus FOLDER. It is described in README.md in this
/// folder.
namespace {

void write(const std::filesystem::path& stem, const std::vector<demo::Pair>& pairs) {
  std::ofstream english(stem.string() + ".en", std::ios::binary);
  std::ofstream german(stem.string() + ".de", std::ios::binary);
  for (const auto& pair : pairs) {
    english << pair.english << '\n';
    german << pair.german << '\n';
  }
  english.flush();
  german.flush();
  if (!english || !german)
    throw std::runtime_error(stem.string() + ": cannot be written; is there space?");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: demo_corpus FOLDER\n";
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    const auto corpus = demo::make_corpus();
    std::filesystem::create_directories(folder);
    write(folder / "train", corpus.train);
    write(folder / "valid", corpus.valid);
    write(folder / "test", corpus.test);
  } catch (const std::exception& error) {
    std::cerr << "demo_corpus: " << error.what() << '\n';
    return 1;
  }
}
