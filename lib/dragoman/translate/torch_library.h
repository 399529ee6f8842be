#pragma once

#include <string>

// libdragoman_torch.so holds all that needs LibTorch. A program without LibTorch opens it where it
// needs it: beside itself in the build, in lib/dragoman of an installation.
namespace dragoman {

/// A function that the library exports; null if it, or LibTorch, is not installed.
/// \tparam Function its type, which both sides must agree on
/// \param name "dragoman_torch_program"
void* torch_library_symbol(const char* name);

template <typename Function>
Function* torch_library_function(const char* name) {
  return reinterpret_cast<Function*>(torch_library_symbol(name));
}

/// Why a function of the library was not found, and what helps: "libdragoman_torch.so is not
/// installed ..; install ..".
std::string torch_library_fault();

}  // namespace dragoman
