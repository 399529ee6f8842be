#pragma once

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <exception>
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

/// What a function of the library makes. Its messages join those of this program.
/// \tparam Function takes `arguments`, where its messages go, the result and a failure
/// \param user what needs the library: "runs/demo: device cuda"
/// \throws DataError without the library, else what the function reports
template <typename Function, typename Result, typename... Arguments>
Result made_by_torch_library(const char* name, const std::string& user,
                             const Arguments&... arguments) {
  auto* const make = torch_library_function<Function>(name);
  if (make == nullptr)
    throw DataError(concat(user, " needs LibTorch, but ", torch_library_fault()));
  Result result;
  std::exception_ptr failure;
  make(arguments..., log, log_level(), result, failure);
  if (failure) std::rethrow_exception(failure);
  return result;
}

}  // namespace dragoman
