#pragma once

#include "dragoman/experiment/experiment_runner.h"
#include "dragoman/experiment/training_log.h"
#include "support/temporary_directory.h"
#include "text/text_support.h"

#include <filesystem>
#include <string>
#include <vector>

namespace test {

/// Two variants of three updates on a synthetic text, with all measurements.
struct SmallLaboratory {
  TemporaryDirectory folder;
  dragoman::TrialTexts texts;
  dragoman::Experiment experiment;

  SmallLaboratory() {
    std::string source, target;
    for (const auto& line : synthetic_lines(80)) {
      source += line + '\n';
      target += line.substr(0, line.size() / 2) + '\n';
    }
    const auto a = write(folder / "a.src", source), b = write(folder / "a.tgt", target);
    texts = {.train_source = {a},
             .train_target = {b},
             .valid_source = a,
             .valid_target = b,
             .test_source = a,
             .test_target = b};
    write(folder / "base.json", R"({
      "model": {"d_model": 16, "d_ff": 32, "num_heads": 2,
                "encoder_layers": 2, "decoder_layers": 1},
      "tokenizer": {"vocab_size": 60},
      "train": {"max_steps": 3, "batch_tokens": 200, "log_every": 1, "validate_every": 3,
                "validate_translations": false, "schedule": "constant", "learning_rate": 0.001,
                "warmup_steps": 1, "workers": 1},
      "search": {"greedy": true, "max_length": 12}})");
    write(folder / "pairs", "0-1:first-second 1-0:second-first\n\n1-0:second-first\n");
    experiment = {.name = "small",
                  .folder = folder.path(),
                  .title = "Small?",
                  .about = "",
                  .config = "base.json",
                  .set = {},
                  .seeds = {1},
                  .measure = {"gradients", "saturation", "lengths", "heads"},
                  .length_limits = {8, 16},
                  .word_pairs = "pairs",
                  .variants = {{.name = "plain"}, {.name = "pre", .set = {"model.norm=pre"}}},
                  .columns = {},
                  .figures = {},
                  .claims = {}};
  }

  std::filesystem::path dir() const { return folder / "out"; }
};

inline std::vector<std::filesystem::path> runs_in(const std::filesystem::path& dir) {
  std::vector<std::filesystem::path> runs;
  for (const auto& entry : std::filesystem::directory_iterator(dir))
    if (entry.path().filename().string().starts_with("run-")) runs.push_back(entry.path());
  return runs;
}

/// Updates in the log of a training.
inline std::size_t updates_of(const std::filesystem::path& run) {
  return dragoman::read_training_log(run).train.step.size();
}

}  // namespace test
