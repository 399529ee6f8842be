#pragma once

#include <filesystem>

namespace dragoman::app {

/// The folder with configs/ that belongs to this program, found from the program's own place and
/// not from the working directory: ../share/dragoman of an installation, or the sources above a
/// build folder. Empty if there is neither.
std::filesystem::path program_files();

}  // namespace dragoman::app
