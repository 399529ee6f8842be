#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/storage/checkpoint_store.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>

namespace dragoman {

/// \throws OptionsError naming the keys, if `now` differs from the checkpoint's configuration in more
///     than what may change in a running training
void expect_same_run(const RunOptions& now, const Checkpoint& checkpoint, const std::filesystem::path& run_dir);

/// \throws DataError if the text that `before` and `now` tell apart is another one
void expect_same_text(const std::string& before, const std::string& now, const std::filesystem::path& run_dir);

/// Notes in `identity` in which order this version makes the batches of an epoch. Warns if the run that
/// goes on was begun with another: it goes on, but not bit for bit.
void note_batch_order(nlohmann::json& identity, bool goes_on);

}  // namespace dragoman
