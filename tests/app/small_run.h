#pragma once

#include "support/catch.h"
#include "support/program.h"
#include "support/text.h"

#include <filesystem>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace test {

/// Text to translate, with an empty line and with the same line twice.
inline const std::string five_lines = "a b c\nd e f g\n\na b c\nh i j k l\n";

/// A model of a few steps: its words mean nothing and its best translation is mostly empty, but
/// everything around them must be right.
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

/// A run of checkpoints 0, 1, 2, 3 and 4.
struct CheckpointedRun {
  TemporaryDirectory folder;
  std::filesystem::path run_dir = train_small_run(folder, {"train.checkpoint_every=1"});

  std::filesystem::path checkpoint(int step) const {
    return run_dir / "checkpoints" / ("step-0000000" + std::to_string(step));
  }
  std::string path(const std::string& name) const { return (folder / name).string(); }

  std::vector<std::string> training(const std::vector<std::string>& settings) const {
    return with(tiny_training(path("a.src"), path("a.tgt"), run_dir.string()), settings);
  }
};

/// The same one as that of `train_small_run` for all tests of a process.
inline const std::filesystem::path& small_run() {
  static const TemporaryDirectory folder;
  static const auto run_dir = train_small_run(folder);
  return run_dir;
}

/// A model that has learned, in two seconds, to write the lines of its training text in capitals.
/// For tests that compare translations: those of `learned_lines` are not blank and all differ.
inline const std::filesystem::path& capitals_run() {
  static const TemporaryDirectory folder;
  static const auto run_dir = train_small_run(
      folder, {"model.d_model=32", "model.d_ff=64", "model.norm=pre", "model.dropout=0",
               "tokenizer.vocab_size=58", "train.max_steps=150", "train.schedule=constant",
               "train.learning_rate=0.01", "train.warmup_steps=10", "train.label_smoothing=0",
               "train.checkpoint_every=1000", "train.log_every=50", "train.precision=float32",
               "train.device=cpu", "train.workers=1", "train.threads=1"});
  return run_dir;
}

/// The first lines of the text of `capitals_run`. \param count at most 60
inline std::vector<std::string> learned_lines(std::size_t count) {
  auto lines = split_lines(content_of(capitals_run().parent_path() / "a.src"));
  lines.resize(count);
  return lines;
}

/// Each line with a line feed.
inline std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + '\n';
  return text;
}

/// Whether some translations can be compared with others: none is blank and no two are the same.
inline bool all_differ(const std::vector<std::string>& translations) {
  std::set<std::string> different;
  for (const auto& one : translations)
    if (one.find_first_not_of(' ') != std::string::npos) different.insert(one);
  return !translations.empty() && different.size() == translations.size();
}

}  // namespace test
