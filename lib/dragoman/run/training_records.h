#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string_view>
#include <vector>

namespace dragoman {

/// A line of train.jsonl: an object whose `event`, `step` and `samples` have their types, where it
/// has them; null if it is damaged, or a crash cut it off.
nlohmann::json training_record(std::string_view line);

/// The records of RUN_DIR/train.jsonl, in order, without damaged ones; none if there is no such
/// file. \throws DataError if it cannot be read
std::vector<nlohmann::json> training_records(const std::filesystem::path& run_dir);

}  // namespace dragoman
