#pragma once

#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <string_view>

namespace dragoman {

/// A line of train.jsonl: an object whose `event`, `step` and `samples` have their types, where it
/// has them; null if it is damaged, or a crash cut it off.
nlohmann::json training_record(std::string_view line);

/// Calls `use` with each record of RUN_DIR/train.jsonl, in order, without damaged ones; never if
/// there is no such file. One line is in memory at a time.
/// \throws DataError if it cannot be read; and what `use` throws
void for_each_training_record(const std::filesystem::path& run_dir,
                              const std::function<void(nlohmann::json&& record)>& use);

}  // namespace dragoman
