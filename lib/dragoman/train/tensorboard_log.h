#pragma once

#include "dragoman/report/tensorboard.h"
#include "dragoman/train/records.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// A training in TensorBoard: RUN_DIR/tensorboard/train and .../validation are two runs with the
/// same tags ("loss", "perplexity", ...), so that their curves share a chart.
class TensorBoardLog {
 public:
  /// Points that an earlier process wrote and that `state` does not include are dropped by readers:
  /// those after its step, and that of a validation at its step which is still to be repeated.
  /// \param validates whether there will be validations; without them their run is left out
  /// \throws DataError if the event files cannot be written
  TensorBoardLog(const std::filesystem::path& run_dir, const TrainingState& state, bool validates);

  /// Adds the numbers of a record of train.jsonl that change during the training.
  void write(const nlohmann::json& record);

  /// Adds text: the configuration, as JSON, and translations of validation sentences.
  void write_configuration(std::int64_t step, const std::string& json);
  void write_samples(std::int64_t step, const std::vector<SampleTranslation>& samples);

 private:
  TensorBoard train_;
  std::optional<TensorBoard> validation_;
};

}  // namespace dragoman
