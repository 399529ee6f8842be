#pragma once

#include <filesystem>

namespace dragoman {

/// Removes what processes that died left behind in `folder`: entries whose names end with .tmp-
/// and the number of a process (AtomicFile), or with .tmp-delete. For the holder of the folder's
/// lock. \throws DataError if one cannot be removed
void remove_leftovers_in(const std::filesystem::path& folder);

/// Removes those of one file: FILE.tmp-*, and FILE.new of earlier versions of this program.
/// \throws DataError if one cannot be removed
void remove_leftovers_of(const std::filesystem::path& file);

}  // namespace dragoman
