#include "dragoman/core/new_folder.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

namespace new_folder_test {

using namespace dragoman;

namespace fs = std::filesystem;

TEST_CASE("a folder that is not kept goes with all that was made for it", "[unit]") {
  const test::TemporaryDirectory folder;
  {
    const NewFolder made(folder / "one/two/");
    write_file_atomically(folder / "one/two/file", "x");
    fs::create_directory(folder / "one/two/deep");
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("an empty folder that was there before is empty again", "[unit]") {
  const test::TemporaryDirectory folder;
  {
    const NewFolder made(folder.path());
    write_file_atomically(folder / "file", "x");
  }
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a kept folder stays and is not taken for a new one", "[unit]") {
  const test::TemporaryDirectory folder;
  {
    NewFolder made(folder / "one");
    write_file_atomically(folder / "one/file", "x");
    made.keep();
  }
  CHECK(read_file(folder / "one/file") == "x");
  CHECK_THROWS_WITH(NewFolder(folder / "one"), test::contains("is not an empty folder"));
  CHECK(read_file(folder / "one/file") == "x");
}

}  // namespace new_folder_test
