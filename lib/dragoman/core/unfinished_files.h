#pragma once

#include <filesystem>

namespace dragoman {

/// Makes SIGINT, SIGTERM and SIGHUP remove the files that are noted here before they end the
/// process as they would anyway. For a program: a library leaves signals to its host. A signal that
/// the process ignores, as SIGHUP under nohup, stays ignored.
void remove_unfinished_files_on_signals();

/// Notes a temporary file until `forget_unfinished_file`. Of more than 32 at once, or names longer
/// than the system opens, the rest are not noted.
void note_unfinished_file(const std::filesystem::path& file);
void forget_unfinished_file(const std::filesystem::path& file);

}  // namespace dragoman
