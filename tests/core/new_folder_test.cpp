#include "dragoman/core/new_folder.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/unfinished_files.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

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

TEST_CASE("a link to a folder that is gone is named", "[unit]") {
  const test::TemporaryDirectory folder;
  std::filesystem::create_directory_symlink(folder / "nowhere", folder / "link");
  CHECK_THROWS_WITH(dragoman::NewFolder(folder / "link"),
                    test::contains("link: is a symbolic link to "));
}

TEST_CASE("where the innermost folder cannot be made, none is", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_AS(NewFolder(folder / "one/two" / std::string(300, 'x')), DataError);
  CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a signal that ends the process removes a folder that is not kept", "[unit]") {
  const test::TemporaryDirectory folder;
  fs::create_directory(folder / "empty");
  const auto child = ::fork();
  if (child == 0) {
    remove_unfinished_files_on_signals();
    NewFolder kept(folder / "kept");
    write_file_atomically(folder / "kept/file", "x");
    kept.keep();
    const NewFolder made(folder / "one/two"), again(folder / "empty");
    fs::create_directories(folder / "one/two/deep/deeper");
    for (int i = 0; i < 300; ++i) write_file_atomically(folder / concat("one/two/deep/", i), "x");
    fs::create_symlink(folder / "kept", folder / "empty/link");
    ::raise(SIGTERM);
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM));
  CHECK(read_file(folder / "kept/file") == "x");
  CHECK(fs::is_empty(folder / "empty"));
  CHECK_FALSE(fs::exists(folder / "one"));
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

TEST_CASE("a folder is made with those above it, and none below a file", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK(make_folder(folder / "a/b"));
  CHECK_FALSE(make_folder(folder / "a/b"));
  write_file_atomically(folder / "file", "x");
  const auto said = (folder / "file").string() + ": is not a folder; choose another";
  for (const std::string name : {"file", "file/", "file/c", "file/c/d"})
    CHECK_THROWS_WITH(make_folder(folder / name), said);
}

}  // namespace new_folder_test
