#include "dragoman/translate/torch_library.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/immortal.h"

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace dragoman {

namespace {

constexpr const char* torch_library = "libdragoman_torch.so";

struct Library {
  void* handle = nullptr;
  std::string fault;
};

/// The symbols of what it loads stay among themselves, so that nothing in a host's process changes.
Library open_library(const std::string& file) {
  Library result;
  result.handle = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (result.handle == nullptr) result.fault = ::dlerror();
  return result;
}

Library find_library() {
  // The dynamic linker looks in the run path of the object that calls it: this one, unless a
  // sanitizer has put its own dlopen in between.
  auto found = open_library(torch_library);
  Dl_info place{};
  if (found.handle != nullptr ||
      ::dladdr(reinterpret_cast<void*>(&torch_library_symbol), &place) == 0)
    return found;
  const std::filesystem::path own(place.dli_fname);
  if (!own.has_parent_path()) return found;  // a program found by PATH: not where its file is
  for (const char* below : {".", "dragoman", ".."}) {  // as in the run path of libdragoman.so
    std::error_code missing;
    const auto file = own.parent_path() / below / torch_library;
    if (std::filesystem::exists(file, missing)) return open_library(file.string());
  }
  return found;
}

/// What helps where the library is installed, but cannot be loaded.
std::string_view loading_remedy(std::string_view fault) {
  if (fault.starts_with("libmpi")) return "install Open MPI (Debian's libopenmpi3 or libopenmpi40)";
  // The linker says the same where memory is short and where a file system lets nothing run.
  if (fault.find("failed to map segment") != fault.npos)
    return "raise the limit on memory (ulimit -v) if there is one, or mount its file system "
           "without noexec";
  return "install what is missing, or the package again";
}

const Library& library() {
  static const auto& opened = immortal(find_library());
  return opened;
}

}  // namespace

void* torch_library_symbol(const char* name) {
  return library().handle == nullptr ? nullptr : ::dlsym(library().handle, name);
}

std::string torch_library_fault() {
  const auto& fault = library().fault;
  if (fault.empty())
    return concat(torch_library, " is of another version; install both from one package");
  if (fault.starts_with(torch_library))
    return concat(torch_library, " is not installed (", fault,
                  "); install the whole package, dragoman");
  return concat(torch_library, " cannot be loaded (", fault, "); ", loading_remedy(fault));
}

}  // namespace dragoman
