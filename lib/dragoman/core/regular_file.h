#pragma once

#include "dragoman/core/descriptor.h"

#include <filesystem>
#include <string>

namespace dragoman {

/// Opens a file for reading as `read_regular_file` does. \throws the same
Descriptor open_regular_file(const std::filesystem::path& path);

/// The whole of a file that another program or person put into a folder, as bytes. Unlike
/// `read_file` it takes no FIFO, which would wait for a writer, and no device.
/// \throws DataError if it is missing, is not a regular file or cannot be read; if the system
///     refuses it, a SystemError
std::string read_regular_file(const std::filesystem::path& path);

/// The same for a file that names or describes others: it has a few kB.
/// \throws also DataError if it has more than 16 MiB
std::string read_small_file(const std::filesystem::path& path);

}  // namespace dragoman
