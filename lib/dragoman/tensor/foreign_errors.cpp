#include "dragoman/tensor/foreign_errors.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <c10/util/Exception.h>

#include <string_view>

namespace dragoman {

namespace {

/// LibTorch says the same of a processor's memory and of a GPU's, each in its own type.
bool is_out_of_memory(const c10::Error& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         std::string_view(error.what_without_backtrace()).find("can't allocate memory") !=
             std::string_view::npos;
}

[[noreturn]] void rethrow_torch(const c10::Error& error) {
  const bool all = log_level() == LogLevel::debug;
  const std::string text = all ? error.what() : error.what_without_backtrace();
  if (is_out_of_memory(error)) throw DataError(concat("out of memory: ", text, memory_remedy));
  throw InternalError(text);
}

}  // namespace

void rethrow_torch_as_error() {
  try {
    throw;
  } catch (const c10::Error& error) {
    rethrow_torch(error);
  } catch (...) {
    rethrow_as_error();
  }
}

}  // namespace dragoman
