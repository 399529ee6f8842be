#define CATCH_CONFIG_RUNNER
#include "support/catch.h"
#include "support/paths.h"
#include "support/skip.h"

#include <cstdlib>
#include <iostream>

namespace test {

namespace {
int skips = 0;
}

void skip(const std::string& reason) {
  ++skips;
  std::cerr << "skipped: " << reason << std::endl;
}

}  // namespace test

int main(int argc, char** argv) {
#ifdef DRAGOMAN_CROSS_COMPILED
  const auto help = '\'' + test::program() + "' --help > /dev/null 2>&1";
  if (std::system(help.c_str()) != 0) {
    test::skip("programs of this processor cannot be started here (third_party/README.md)");
    return 4;
  }
#endif
  // Catch2 2 ends with the number of failures, which may be 4 too.
  if (Catch::Session().run(argc, argv) != 0) return 1;
  return test::skips > 0 ? 4 : 0;
}
