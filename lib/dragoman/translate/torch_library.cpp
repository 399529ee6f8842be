#include "dragoman/translate/torch_library.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/immortal.h"

#include <dlfcn.h>

namespace dragoman {

namespace {

constexpr const char* torch_library = "libdragoman_torch.so";

struct Library {
  void* handle = nullptr;
  std::string fault;
};

const Library& library() {
  // The dynamic linker looks in the run path of the object that this code is part of. The symbols
  // of what it loads stay among themselves, so that nothing in a host's process changes.
  static const auto& opened = immortal([] {
    Library result;
    result.handle = ::dlopen(torch_library, RTLD_NOW | RTLD_LOCAL);
    if (result.handle == nullptr) result.fault = ::dlerror();
    return result;
  }());
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
  return concat(torch_library, " cannot be loaded (", fault, "); ",
                fault.starts_with("libmpi")
                    ? "install Open MPI (Debian's libopenmpi3 or libopenmpi40)"
                    : "install what is missing, or the package again");
}

}  // namespace dragoman
