#pragma once

// LibTorch defines its own CHECK, which ends the program. Including it first lets Catch2's replace
// it.
#if __has_include(<c10/util/Logging.h>)
#include <c10/util/Logging.h>
#endif

// Catch2 version 2 or 3, whichever is installed.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
namespace test {
using Catch::Approx;
inline auto contains(const std::string& part) { return Catch::Matchers::ContainsSubstring(part); }
}  // namespace test
#else
#include <catch2/catch.hpp>
namespace test {
using Catch::Detail::Approx;
inline auto contains(const std::string& part) { return Catch::Matchers::Contains(part); }
}  // namespace test
#endif
