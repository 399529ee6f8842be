#include "dragoman/tensor/foreign_errors.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/thread.h"

#include <c10/util/Exception.h>

#include <filesystem>
#include <new>
#include <string_view>
#include <system_error>

namespace dragoman {

namespace {

constexpr const char* memory_remedy =
    "; use a smaller model, train.batch_tokens or search.batch_tokens";

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

void rethrow_as_error() {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::filesystem::filesystem_error& error) {
    throw DataError(error.what());
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::resource_unavailable_try_again) fail_without_thread(error);
    throw InternalError(error.what());
  } catch (const std::bad_alloc&) {
    throw DataError(concat("out of memory: the system gives no more", memory_remedy));
  } catch (const c10::Error& error) {
    rethrow_torch(error);
  } catch (const std::exception& error) {
    throw InternalError(error.what());
  }
}

}  // namespace dragoman
