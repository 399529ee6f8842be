#include "program_files.h"

namespace dragoman::app {

std::filesystem::path program_files() {
  std::error_code ignored;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const char* place : {"../share/dragoman", ".."}) {
    const auto folder = (program / place).lexically_normal();
    if (std::filesystem::is_directory(folder / "configs", ignored)) return folder;
  }
  return {};
}

}  // namespace dragoman::app
