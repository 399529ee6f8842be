#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace dragoman {

/// Removes a file or a folder that nobody needs. Warns if it cannot be removed: on a network disk,
/// as long as another program has a file in it open.
void remove_leftover(const std::filesystem::path& path);

/// Removes what processes that died left behind in `folder`: entries whose names end with .tmp-
/// and the number of a process (AtomicFile), or with .tmp-delete. For the holder of the folder's
/// lock. \throws DataError if the folder cannot be listed
/// \param is_own whether what a name begins with is a file that only this holder writes; others may
///     belong to processes that are alive
void remove_leftovers_in(const std::filesystem::path& folder,
                         const std::function<bool(const std::string&)>& is_own = {});

/// Removes those of one file: FILE.tmp-*, and FILE.new of earlier versions of this program.
/// \throws DataError if the folder cannot be listed
void remove_leftovers_of(const std::filesystem::path& file);

}  // namespace dragoman
