#pragma once

#include "dragoman/run/run_place.h"
#include "dragoman/train/training_state.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace dragoman {

/// RUN_DIR/train.jsonl: the records of a training run, one JSON object per line.
class TrainLog {
 public:
  /// Continues an existing file, after removing the records of what follows `state`.
  /// \throws DataError if it cannot be read or written
  TrainLog(const std::filesystem::path& run_dir, const TrainingState& state);

  /// Adds one record; `record` has at least "event" and "step". Numbers that are not finite become
  /// null, as JSON has none. \throws DataError if it cannot be written, or the
  /// run folder was moved or removed
  void write(const nlohmann::json& record);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  RunPlace place_;
  std::filesystem::path path_;
};

}  // namespace dragoman
