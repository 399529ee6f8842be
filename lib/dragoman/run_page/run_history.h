#pragma once

#include "dragoman/config/run_options.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// What RUN_DIR/config.json and RUN_DIR/train.jsonl say of a training.
struct RunHistory {
  std::string name;  ///< of the folder
  RunOptions options;
  std::string pieces;                            ///< SHA-256 of its tokenizers; empty = unknown
  nlohmann::json start = {};                     ///< the last record of a start
  nlohmann::json end = {};                       ///< that of the end or of a stop; null = none yet
  std::vector<nlohmann::json> train = {};        ///< the records of windows, by step
  std::vector<nlohmann::json> validations = {};  ///< by step
};

/// A text of a record; empty if it has none of that key.
std::string text_in(const nlohmann::json& record, const char* key);

/// What becomes of a run without records, as conversion and averaging make them.
enum class WithoutRecords { refused, allowed };

/// \throws DataError if the folder has no training's records and that is refused; else as
///     `read_stored_options`
RunHistory read_run_history(const std::filesystem::path& run_dir,
                            WithoutRecords without = WithoutRecords::refused);

}  // namespace dragoman
