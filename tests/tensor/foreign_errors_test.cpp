#include "dragoman/tensor/foreign_errors.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <c10/util/Exception.h>

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

namespace foreign_errors_test {

using dragoman::DataError;
using dragoman::InternalError;

namespace {

/// Throws `error` and rethrows it as our own.
template <typename Thrown>
void rethrow(const Thrown& error) {
  try {
    throw error;
  } catch (...) {
    dragoman::rethrow_torch_as_error();
  }
}

}  // namespace

TEST_CASE("what the system refuses is the user's to mend", "[unit]") {
  CHECK_THROWS_AS(rethrow(std::bad_alloc()), DataError);
  CHECK_THROWS_AS(rethrow(std::filesystem::filesystem_error("f", std::error_code())), DataError);
  const auto refused = std::make_error_code(std::errc::resource_unavailable_try_again);
  CHECK_THROWS_AS(rethrow(std::system_error(refused)), DataError);
  CHECK_THROWS_AS(rethrow(c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "full")),
                  DataError);
  for (const char* said :
       {"[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes",
        "CUDA error: out of memory",
        "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"})
    CHECK_THROWS_AS(rethrow(c10::Error({__func__, __FILE__, __LINE__}, said)), DataError);
}

TEST_CASE("a lack of memory is told from other errors by what it says", "[unit]") {
  const auto fault_of = [](const auto& thrown) {
    try {
      throw thrown;
    } catch (...) {
      return dragoman::memory_fault();
    }
  };
  CHECK(fault_of(std::bad_alloc()).value_or("").starts_with("out of memory: "));
  CHECK(fault_of(c10::OutOfMemoryError({__func__, __FILE__, __LINE__}, "full"))
            .value_or("")
            .starts_with("out of memory: full"));
  CHECK(fault_of(std::runtime_error("could not create a primitive")));
  CHECK_FALSE(fault_of(std::runtime_error("odd")));
  CHECK_FALSE(fault_of(c10::Error({__func__, __FILE__, __LINE__}, "shapes")));
  CHECK_FALSE(fault_of(DataError("out of memory: said by another")));
  CHECK_FALSE(fault_of(7));
}

TEST_CASE("a primitive that oneDNN cannot create or execute is told as a lack of memory",
          "[unit]") {
  for (const char* said : {"could not create a primitive", "could not execute a primitive"}) {
    CHECK_THROWS_AS(rethrow(std::runtime_error(said)), DataError);
    CHECK_THROWS_WITH(rethrow(std::runtime_error(said)),
                      test::contains(" (oneDNN), which mostly means that memory ran out; lower "));
  }
  const char* unsupported = "could not create a primitive descriptor for a matmul primitive";
  CHECK_THROWS_AS(rethrow(std::runtime_error(unsupported)), InternalError);
}

TEST_CASE("any other exception is a bug and keeps its message", "[unit]") {
  CHECK_THROWS_WITH(rethrow(std::runtime_error("odd")), "odd");
  CHECK_THROWS_AS(rethrow(std::runtime_error("odd")), InternalError);
  CHECK_THROWS_AS(rethrow(c10::Error({__func__, __FILE__, __LINE__}, "shapes")), InternalError);
}

TEST_CASE("our own errors stay as they are", "[unit]") {
  CHECK_THROWS_AS(rethrow(dragoman::OptionsError("x")), dragoman::OptionsError);
  CHECK_THROWS_AS(rethrow(dragoman::ContractError("x")), dragoman::ContractError);
}

}  // namespace foreign_errors_test
