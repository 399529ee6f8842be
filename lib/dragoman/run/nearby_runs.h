#pragma once

#include <filesystem>

namespace dragoman {

/// For a folder that was given in place of a run.
/// \throws DataError naming the run to give, if the folder contains some or is a part of one
void expect_no_runs_nearby(const std::filesystem::path& folder);

}  // namespace dragoman
