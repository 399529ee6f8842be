#pragma once

#include "dragoman/translator.h"

#include "app/small_run.h"

#include <string>
#include <vector>

namespace test {

/// Different lines of one to six letters.
inline std::vector<std::string> sources() {
  std::vector<std::string> lines;
  for (int i = 0; i < 24; ++i) {
    std::string line(1, static_cast<char>('a' + i));
    for (int k = 0; k < i % 6; ++k)
      line += std::string(" ") + static_cast<char>('a' + (i + 3 * k) % 26);
    lines.push_back(line);
  }
  return lines;
}

inline dragoman::Translator small_translator(const dragoman::TranslatorOptions& options = {}) {
  return dragoman::Translator::load(small_run(), options);
}

}  // namespace test
