#include "dragoman/tensor/foreign_errors.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <string_view>

namespace dragoman {

namespace {

/// Only LibTorch's allocator for GPUs has a type of its own for this. The others are those of the
/// CPU, of page-locked memory, and of cuBLAS and cuDNN.
bool is_out_of_memory(const c10::Error& error) {
  if (dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr) return true;
  const std::string_view text = error.what_without_backtrace();
  return std::ranges::any_of(
      std::array{"can't allocate memory", "CUDA error: out of memory", "STATUS_ALLOC_FAILED"},
      [&](const char* words) { return text.find(words) != std::string_view::npos; });
}

/// oneDNN names neither status nor size when it fails to allocate what a primitive needs. What it
/// does not support, it refuses earlier, with other words.
bool is_primitive_failure(const std::exception& error) {
  const std::string_view text = error.what();
  return text == "could not create a primitive" || text == "could not execute a primitive";
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
  } catch (const std::exception& error) {
    if (is_primitive_failure(error))
      throw DataError(
          concat(error.what(), " (oneDNN), which mostly means that memory ran out", memory_remedy));
    rethrow_as_error();
  } catch (...) {
    rethrow_as_error();
  }
}

std::optional<std::string> memory_fault() {
  const auto said = []() -> std::string {
    try {
      rethrow_torch_as_error();
    } catch (const Error& error) {
      return error.what();
    }
  };
  try {
    throw;
  } catch (const c10::Error& error) {
    return is_out_of_memory(error) ? std::optional(said()) : std::nullopt;
  } catch (const std::bad_alloc&) {
    return said();
  } catch (const std::exception& error) {
    return is_primitive_failure(error) ? std::optional(said()) : std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
}

}  // namespace dragoman
