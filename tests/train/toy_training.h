#pragma once

#include "dragoman/config/parse.h"
#include "dragoman/core/file.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/train.h"
#include "support/temporary_directory.h"

#include <nlohmann/json.hpp>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace test {

/// Thirty different sentences of a toy language whose translation capitalises each word, in order.
inline std::vector<dragoman::LinePair> toy_pairs() {
  const std::vector<std::string> words{"red", "dog",  "runs", "far", "home",
                                       "cat", "sees", "old",  "big"};
  std::vector<dragoman::LinePair> pairs;
  for (std::size_t i = 0; i < 30; ++i) {
    std::string source, target;
    for (std::size_t j = 0; j < 3 + i % 3; ++j) {
      auto word = words[(i * 5 + j * j + j * (i + i / 9)) % words.size()];
      source += (j > 0 ? " " : "") + word;
      for (auto& c : word) c = static_cast<char>(std::toupper(c));
      target += (j > 0 ? " " : "") + word;
    }
    pairs.push_back({source, target});
  }
  return pairs;
}

/// That text in two files, and options of a training of seconds.
struct ToyTraining {
  test::TemporaryDirectory folder;
  dragoman::RunOptions options;

  ToyTraining() {
    std::ofstream source(folder / "toy.src"), target(folder / "toy.tgt");
    for (const auto& pair : toy_pairs()) {
      source << pair.source << '\n';
      target << pair.target << '\n';
    }
    options = dragoman::preset_run_options("tiny", {});
    options.model.d_model = 32;
    options.model.d_ff = 64;
    options.model.num_heads = 2;
    options.model.encoder_layers = options.model.decoder_layers = 1;
    options.tokenizer.vocab_size = 48;
    options.data.train_source = {(folder / "toy.src").string()};
    options.data.train_target = {(folder / "toy.tgt").string()};
    options.train.batch_tokens = 120;
    options.train.schedule = dragoman::Schedule::constant;
    options.train.learning_rate = 0.003;
    options.train.warmup_steps = 20;
    options.train.log_every = 5;
    options.train.workers = 2;
    options.train.checkpoint_every = 5;
  }

  std::filesystem::path run(const std::string& name, const dragoman::RunOptions& with) const {
    dragoman::train({.options = with, .run_dir = folder / name});
    return folder / name;
  }
};

/// A file of the newest checkpoint.
inline std::string file_of_newest(const std::filesystem::path& run_dir, const char* name) {
  return dragoman::read_file(dragoman::CheckpointStore(run_dir).list().front().path / name);
}

/// The records of an event in train.jsonl.
inline std::vector<nlohmann::json> records_of(const std::filesystem::path& run_dir,
                                              const std::string& event) {
  std::istringstream lines(dragoman::read_file(run_dir / "train.jsonl"));
  std::vector<nlohmann::json> found;
  for (std::string line; std::getline(lines, line);)
    if (auto record = nlohmann::json::parse(line); record.at("event") == event)
      found.push_back(std::move(record));
  return found;
}

}  // namespace test
