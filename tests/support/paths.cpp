#include "support/paths.h"

#include "support/shared.h"

#include <cstdlib>
#include <iostream>
#include <set>
#include <stdexcept>

namespace test {

namespace {

/// The part of the cases that comes from one place as a whole: hostile, or what golden/ has of this
/// name, such as golden/interop_hf.
std::string whole_part(const std::string& part) {
  const std::string golden = "golden/";
  return part.substr(0, part.find('/', part.starts_with(golden) ? golden.size() : 0));
}

std::filesystem::path in_repository(const std::string& part) {
  return source_folder() / "tests" / part;
}

/// Where a whole part is: in the shared folder if that has it, else in the repository.
std::filesystem::path place_of_part(const std::string& part) {
  const auto shared = shared_folder();
  if (std::filesystem::exists(shared / part)) return shared / part;
  const std::string golden = "golden/";
  if (part.starts_with(golden)) {
    const auto reference = shared / "reference" / part.substr(golden.size());
    if (std::filesystem::exists(reference)) return reference;
  }
  return in_repository(part);
}

/// Tells once in a process where a part comes from.
void tell(const std::string& part, const std::filesystem::path& place) {
  static std::set<std::string> told;
  if (told.insert(part).second)
    std::cerr << "cases of " << part << ": " << place.lexically_normal().string() << std::endl;
}

}  // namespace

std::filesystem::path source_folder() { return DRAGOMAN_SOURCE_DIR; }

std::filesystem::path shared_default() { return DRAGOMAN_SHARED_DEFAULT; }

std::string program() { return DRAGOMAN_PROGRAM; }

std::filesystem::path shared_folder() {
  const char* chosen = std::getenv("DRAGOMAN_SHARED");
  if (chosen == nullptr || *chosen == '\0') return shared_default();
  if (!std::filesystem::is_directory(chosen))
    throw std::runtime_error(std::string("DRAGOMAN_SHARED: there is no folder ") + chosen);
  return chosen;
}

std::filesystem::path cases(const std::string& part) {
  const auto whole = whole_part(part);
  const auto place = place_of_part(whole);
  tell(whole, place);
  return part == whole ? place : place / part.substr(whole.size() + 1);
}

}  // namespace test
