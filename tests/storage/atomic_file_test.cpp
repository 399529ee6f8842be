#include "dragoman/storage/atomic_file.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

namespace atomic_file_test {

using namespace dragoman;

TEST_CASE("a file written in pieces appears when it is committed", "[unit]") {
  const test::TemporaryDirectory folder;
  AtomicFile file(folder / "a");
  file.append("one ");
  file.append("two");
  CHECK(file.size() == 7);
  CHECK_FALSE(std::filesystem::exists(folder / "a"));
  file.commit();
  CHECK(read_file(folder / "a") == "one two");
  CHECK_FALSE(std::filesystem::exists(folder / "a.new"));
}

TEST_CASE("a file that is not committed leaves the old one and nothing else", "[unit]") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "a", "old");
  AtomicFile(folder / "a").append("new");
  CHECK(read_file(folder / "a") == "old");
  CHECK_FALSE(std::filesystem::exists(folder / "a.new"));
}

TEST_CASE("what a crash left under the temporary name is written over", "[unit]") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "a.new", "left by a crash, and long");
  AtomicFile file(folder / "a");
  file.append("short");
  file.commit();
  CHECK(read_file(folder / "a") == "short");
}

TEST_CASE("a file in a folder that is not there is refused by name", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(AtomicFile(folder / "none" / "a"), test::contains("none/a.new"));
}

}  // namespace atomic_file_test
