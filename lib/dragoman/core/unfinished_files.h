#pragma once

#include <filesystem>

namespace dragoman {

/// Removes what is noted here. A signal handler may call it.
void remove_unfinished_files() noexcept;

/// Makes SIGINT, SIGQUIT, SIGTERM, SIGHUP and the signals of batch systems (SIGUSR1, SIGUSR2,
/// SIGXCPU) and timers remove what is noted here before they end the process as they would anyway.
/// For a program: a library leaves signals to its host. A signal that the process ignores, as
/// SIGHUP under nohup, stays ignored.
void remove_unfinished_files_on_signals();

/// Notes a temporary file, or a folder that is empty by then, until `forget_unfinished_file`. Of
/// more than 32 at once, or names longer than the system opens, the rest are not noted.
void note_unfinished_file(const std::filesystem::path& file);
/// Notes what is in a folder, but not the folder.
void note_unfinished_folder(const std::filesystem::path& folder);
/// Forgets a file, a folder and what is in it.
void forget_unfinished_file(const std::filesystem::path& file);

}  // namespace dragoman
