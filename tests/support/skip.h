#pragma once

#include <string>

namespace test {

/// Reports that the rest of a test case cannot run on this computer, and why. The process then ends
/// with 4 if nothing fails, and ctest counts it as skipped.
void skip(const std::string& reason);

}  // namespace test
