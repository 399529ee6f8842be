#include "support/paths.h"

#include "support/shared.h"

namespace test {

std::filesystem::path source_folder() { return DRAGOMAN_SOURCE_DIR; }

std::filesystem::path shared_default() { return DRAGOMAN_SHARED_DEFAULT; }

std::string program() { return DRAGOMAN_PROGRAM; }

std::filesystem::path cases(const std::string& part) {
  const char* chosen = std::getenv("DRAGOMAN_SHARED");
  if (chosen != nullptr && *chosen != '\0') {
    const std::filesystem::path folder = chosen;
    if (std::filesystem::exists(folder / part)) return folder / part;
    const std::string golden = "golden/";
    if (part.starts_with(golden)) {
      const auto reference = folder / "reference" / part.substr(golden.size());
      if (std::filesystem::exists(reference)) return reference;
    }
  }
  return source_folder() / "tests" / part;
}

}  // namespace test
