#include "dragoman/core/atomic_file.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace atomic_file_test {

using namespace dragoman;

namespace fs = std::filesystem;

namespace {

std::string temporary_name() { return ".tmp-" + std::to_string(::getpid()); }

auto entries(const test::TemporaryDirectory& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

/// What a FIFO holds; opened without waiting, so that a writer can open it.
class FifoReader {
 public:
  explicit FifoReader(const fs::path& path) {
    if (::mkfifo(path.c_str(), 0600) != 0) throw std::runtime_error("mkfifo failed");
    number_ = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  }
  ~FifoReader() { ::close(number_); }
  FifoReader(const FifoReader&) = delete;
  FifoReader& operator=(const FifoReader&) = delete;

  std::string content() const {
    char buffer[100];
    const auto count = ::read(number_, buffer, sizeof buffer);
    return {buffer, buffer + std::max<ssize_t>(count, 0)};
  }

 private:
  int number_ = -1;
};

}  // namespace

TEST_CASE("a file may have the longest name that there is", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto file = folder / std::string(255, 'n');
  write_file_atomically(file, "whole");
  CHECK(read_file(file) == "whole");
  CHECK(entries(folder) == 1);
}

TEST_CASE("a file written in pieces appears when it is committed", "[unit]") {
  const test::TemporaryDirectory folder;
  AtomicFile file(folder / "a");
  file.append("one ");
  file.append("two");
  CHECK(file.size() == 7);
  CHECK_FALSE(fs::exists(folder / "a"));
  file.commit();
  CHECK(read_file(folder / "a") == "one two");
  CHECK(entries(folder) == 1);
}

TEST_CASE("a file that is not committed leaves the old one and nothing else", "[unit]") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "a", "old");
  AtomicFile(folder / "a").append("new");
  CHECK(read_file(folder / "a") == "old");
  CHECK(entries(folder) == 1);
}

TEST_CASE("what stands under the temporary name is neither followed nor written over", "[unit]") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "victim", "precious");
  fs::create_symlink(folder / "victim", folder / ("a" + temporary_name()));
  write_file_atomically(folder / "b", "left");
  fs::rename(folder / "b", folder / ("b" + temporary_name()));
  for (const std::string name : {"a", "b"}) write_file_atomically(folder / name, "new");
  CHECK(read_file(folder / "victim") == "precious");
  CHECK(fs::is_symlink(folder / ("a" + temporary_name())));
  CHECK(read_file(folder / ("b" + temporary_name())) == "left");
  for (const std::string name : {"a", "b"}) CHECK(read_file(folder / name) == "new");
}

TEST_CASE("a file in a folder that is not there is refused by name", "[unit]") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(AtomicFile(folder / "none" / "a"), test::contains("none/a: cannot be written"));
}

TEST_CASE("a symbolic link stays and the file that it names is written", "[unit]") {
  const test::TemporaryDirectory folder;
  fs::create_directory(folder / "far");
  write_file_atomically(folder / "far/old", "old");
  fs::create_symlink("far/old", folder / "link");
  fs::create_symlink("link", folder / "second");
  fs::create_symlink("far/none", folder / "dangling");
  write_file_atomically(folder / "second", "new");
  write_file_atomically(folder / "dangling", "made");
  CHECK(read_file(folder / "far/old") == "new");
  CHECK(read_file(folder / "far/none") == "made");
  for (const char* name : {"link", "second", "dangling"}) CHECK(fs::is_symlink(folder / name));
  CHECK(entries(folder) == 4);
}

TEST_CASE("links in a circle are refused by name", "[unit]") {
  const test::TemporaryDirectory folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  CHECK_THROWS_WITH(write_file_atomically(folder / "a", "x"),
                    test::contains("/a: its symbolic links"));
  CHECK_THROWS_AS(read_file(folder / "a"), DataError);
}

TEST_CASE("a file that is replaced keeps its permissions and, for root, its owner", "[unit]") {
  const test::TemporaryDirectory folder;
  write_file_atomically(folder / "a", "old");
  ::chmod((folder / "a").c_str(), 0640);
  const bool is_root = ::geteuid() == 0;
  if (is_root) REQUIRE(::chown((folder / "a").c_str(), 1234, 4321) == 0);
  write_file_atomically(folder / "a", "new");
  struct stat facts{};
  REQUIRE(::stat((folder / "a").c_str(), &facts) == 0);
  CHECK((facts.st_mode & 0777) == 0640);
  CHECK(facts.st_uid == (is_root ? 1234 : ::geteuid()));
  if (is_root) CHECK(facts.st_gid == 4321);
}

TEST_CASE("a pipe, a device and a descriptor are written to directly", "[unit]") {
  const test::TemporaryDirectory folder;
  const FifoReader fifo(folder / "fifo");
  fs::create_symlink(folder / "fifo", folder / "link");
  write_file_atomically(folder / "link", "line");
  CHECK(fifo.content() == "line");
  write_file_atomically("/dev/null", "gone");
  CHECK(fs::is_character_file("/dev/null"));

  const int number = ::open((folder / "a").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(::write(number, "one ", 4) == 4);
  fs::create_symlink("/dev/fd/" + std::to_string(number), folder / "standard");
  write_file_atomically(folder / "standard", "two");
  ::close(number);
  CHECK(read_file(folder / "a") == "one two");
  CHECK(fs::is_symlink(folder / "standard"));
}

TEST_CASE("a mistyped name of a device makes no file", "[unit]") {
  CHECK_THROWS_AS(write_file_atomically("/dev/no-such-device", "x"), DataError);
  CHECK_FALSE(fs::exists("/dev/no-such-device"));
}

}  // namespace atomic_file_test
