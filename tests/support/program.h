#pragma once

#include "support/paths.h"
#include "support/process.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace test {

/// Runs the program of this build with `arguments`.
inline ProcessResult dragoman(std::vector<std::string> arguments, const ProcessInput& input = {}) {
  arguments.insert(arguments.begin(), program());
  return run(arguments, input);
}

/// Starts it beside the test.
inline BackgroundProcess start_dragoman(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program());
  return BackgroundProcess(arguments);
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The line feeds of a file; 0 if it is missing.
inline std::ptrdiff_t lines_in(const std::filesystem::path& file) {
  const auto content = content_of(file);
  return std::count(content.begin(), content.end(), '\n');
}

/// Arguments of a training that takes a second: a model of 16 features. To be followed by text and
/// limits.
inline std::vector<std::string> tiny_training(const std::string& source, const std::string& target,
                                              const std::string& run_dir) {
  return {"train",
          "--preset",
          "tiny",
          "--train-source",
          source,
          "--train-target",
          target,
          "-o",
          run_dir,
          "--set",
          "model.d_model=16",
          "model.d_ff=32",
          "model.num_heads=2",
          "model.encoder_layers=1",
          "model.decoder_layers=1",
          "tokenizer.vocab_size=60",
          "train.max_steps=4",
          "train.batch_tokens=3000",
          "data.max_length=1000",
          "train.log_every=1",
          "train.validate_every=0",
          "train.checkpoint_every=0"};
}

inline std::vector<std::string> with(std::vector<std::string> arguments,
                                     const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

/// Sixty short pairs of letters; the target is the source in capitals.
inline void write_letters(const std::filesystem::path& source,
                          const std::filesystem::path& target) {
  std::ofstream small(source), capital(target);
  for (int i = 0; i < 60; ++i) {
    std::string line;
    for (int j = 0; j < 3 + i % 5; ++j)
      line += std::string(j > 0 ? " " : "") + static_cast<char>('a' + (i * 7 + j * j) % 26);
    small << line << '\n';
    for (auto& c : line) c = static_cast<char>(c >= 'a' ? c - 32 : c);
    capital << line << '\n';
  }
}

}  // namespace test
