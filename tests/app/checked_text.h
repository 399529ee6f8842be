#pragma once

#include "support/program.h"
#include "support/temporary_directory.h"

#include <cstdint>
#include <fstream>
#include <random>
#include <string>
#include <vector>

namespace test {

/// Six hundred pairs of letters whose lengths vary; the target is the source in capitals.
struct CheckedText {
  TemporaryDirectory folder;
  std::vector<std::string> source, target;

  CheckedText() {
    std::mt19937_64 random(5);
    for (int i = 0; i < 600; ++i) {
      std::string small, capital;
      for (std::uint64_t j = 0; j < 3 + random() % 12; ++j) {
        const auto letter = static_cast<char>(random() % 26);
        small += static_cast<char>('a' + letter);
        capital += static_cast<char>('A' + letter);
        if (j % 3 == 2) {
          small += ' ';
          capital += ' ';
        }
      }
      source.push_back(small);
      target.push_back(capital);
    }
    write();
  }

  void write() const {
    std::ofstream small(folder / "a.src"), capital(folder / "a.tgt");
    for (const auto& line : source) small << line << '\n';
    for (const auto& line : target) capital << line << '\n';
  }

  ProcessResult run(const std::vector<std::string>& more) const {
    return dragoman(with(tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(),
                                       (folder / "run").string()),
                         more));
  }
};

}  // namespace test
