#pragma once

// LibTorch defines a CHECK of its own, which ends the program. Read first, it gives way to Catch2's.
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
