#pragma once

#include "app/small_run.h"

#include <fstream>
#include <string>

namespace test {

/// A text to translate and a place for what comes of it.
struct TextToTranslate {
  TemporaryDirectory folder;
  std::string source = (folder / "source").string();
  std::string target = (folder / "target").string();

  TextToTranslate() { std::ofstream(source) << "a b c\nd e\n"; }

  ProcessResult translate(const std::string& output) const {
    return dragoman({"translate", "-m", small_run().string(), "-i", source, "-o", output});
  }
};

}  // namespace test
