#include "dragoman/run/runs.h"

#include "dragoman/core/error.h"

namespace dragoman {

namespace {

/// \param side "source" or "target"
void expect_same_pieces(const Tokenizer& tokenizer, const Tokenizer& first, const char* side,
                        const std::filesystem::path& run_dir,
                        const std::filesystem::path& first_dir) {
  if (tokenizer.bytes() == first.bytes()) return;
  throw DataError(concat(run_dir.string(), ": its ", side, " vocabulary is not that of ",
                         first_dir.string(), "; an ensemble needs runs with the same tokenizer: ",
                         "train them with the same tokenizer options and text"));
}

}  // namespace

std::vector<LoadedRun> load_runs(std::span<const std::filesystem::path> run_dirs,
                                 const std::string& which,
                                 const std::vector<std::string>& overrides, AttentionSwap swap) {
  std::vector<LoadedRun> runs;
  for (const auto& run_dir : run_dirs) {
    auto run = load_run(run_dir, which, overrides, swap);
    if (!runs.empty()) {
      const auto& first = runs.front().vocabulary;
      expect_same_pieces(run.vocabulary.source, first.source, "source", run_dir, run_dirs.front());
      expect_same_pieces(run.vocabulary.target, first.target, "target", run_dir, run_dirs.front());
    }
    runs.push_back(std::move(run));
  }
  return runs;
}

std::vector<Transformer> models_of(std::span<const LoadedRun> runs) {
  std::vector<Transformer> models;
  for (const auto& run : runs) models.push_back(run.model);
  return models;
}

}  // namespace dragoman
