#include "dragoman/core/regular_file.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <sys/stat.h>

namespace regular_file_test {

using namespace dragoman;

TEST_CASE(
    "a regular file is read, a pipe, a device, a folder and a circle of links are refused at once",
    "[unit]") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "a", "text");
  CHECK(read_regular_file(folder / "a") == "text");
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  std::filesystem::create_symlink("circle", folder / "circle");
  for (const auto& path :
       {folder / "fifo", folder / "circle", folder.path(), std::filesystem::path("/dev/zero")}) {
    CAPTURE(path);
    CHECK_THROWS_AS(read_regular_file(path), DataError);
  }
}

}  // namespace regular_file_test
