#pragma once

#include "dragoman/report/tensorboard.h"
#include "dragoman/storage/run_place.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace dragoman {

/// The records of a training: RUN_DIR/train.jsonl (one object a line), TensorBoard event files, the
/// log on stderr and the live line of a terminal.
class TrainLog {
 public:
  /// Goes on with the file there, after cutting back records of steps past `step`.
  /// \throws DataError if it cannot be read or written
  TrainLog(const std::filesystem::path& run_dir, std::int64_t step, bool tensorboard);

  /// Adds one record; `record` has at least "event" and "step". Its numbers go to TensorBoard under
  /// "event/name". Not-finite numbers become null, as JSON has none.
  /// \throws DataError if it cannot be written, or the run folder was moved or removed
  void write(const nlohmann::json& record);

 private:
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
  RunPlace place_;
  std::filesystem::path path_;
  std::unique_ptr<TensorBoard> board_;
};

/// "1 h 02 min", "3 min 20 s", "12 s"
std::string duration_text(double seconds);

}  // namespace dragoman
