#pragma once

#include "support/program.h"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace test {

/// A model of a few steps: its words mean nothing, but everything around them must be right.
/// \param more arguments of the training
inline std::filesystem::path train_small_run(const TemporaryDirectory& folder,
                                             const std::vector<std::string>& more = {}) {
  write_letters(folder / "a.src", folder / "a.tgt");
  const auto run_dir = folder / "run";
  const auto result = dragoman(with(
      tiny_training((folder / "a.src").string(), (folder / "a.tgt").string(), run_dir.string()),
      more));
  if (result.exit_code != 0) throw std::runtime_error(result.err);
  return run_dir;
}

/// The same one for all tests of a process.
inline const std::filesystem::path& small_run() {
  static const TemporaryDirectory folder;
  static const auto run_dir = train_small_run(folder);
  return run_dir;
}

}  // namespace test
