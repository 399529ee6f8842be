#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

/// The whole file as bytes. \throws DataError if it is missing or cannot be read.
std::string read_file(const std::filesystem::path& path);

/// Puts `content` at `path` so that a reader sees the old file or the new one, never a part:
/// temporary file, fsync, rename, fsync of the folder.
/// \throws DataError if anything fails (a full disk too); the old file is then still there.
void write_file_atomically(const std::filesystem::path& path, std::string_view content);

/// Writes `content` to a new file and syncs it to the disk. \throws DataError (also if it exists).
void write_new_file(const std::filesystem::path& path, std::string_view content);

/// The same with the parts one after the other.
void write_new_file(const std::filesystem::path& path, std::span<const std::string_view> parts);

/// Creates `folder` and the folders above it that are missing.
/// \return whether it is new
/// \throws DataError if it cannot be created, as where a file has the name of one of them
bool make_folder(const std::filesystem::path& folder);

/// \throws DataError if `folder` exists and is not an empty folder.
void expect_empty_folder(const std::filesystem::path& folder);

/// Syncs a folder, so that names created or renamed in it survive a crash. \throws DataError
void sync_directory(const std::filesystem::path& directory);

/// The text of `errno` for a message: "No space left on device".
std::string system_error_text(int error_number);

}  // namespace dragoman
