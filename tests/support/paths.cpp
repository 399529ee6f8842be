#include "support/paths.h"

namespace test {

std::filesystem::path source_folder() { return DRAGOMAN_SOURCE_DIR; }

std::filesystem::path shared_default() { return DRAGOMAN_SHARED_DEFAULT; }

std::string program() { return DRAGOMAN_PROGRAM; }

}  // namespace test
