#pragma once

#include <filesystem>
#include <string>

namespace test {

/// The project's root.
std::filesystem::path source_folder();

/// The CMake option DRAGOMAN_SHARED.
std::filesystem::path shared_default();

/// The program of this build.
std::string program();

}  // namespace test
