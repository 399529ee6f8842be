#include "dragoman/storage/unzip.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <filesystem>
#include <iterator>

namespace unzip_test {

using namespace dragoman;
using test::ZipEntry;

namespace {

struct Unpacked {
  test::TemporaryDirectory folder;
  std::filesystem::path here = folder / "here";

  explicit Unpacked(const std::vector<ZipEntry>& entries) {
    std::filesystem::create_directory(here);
    write_file_atomically(folder / "some.zip", test::zip_of(entries));
    unzip(folder / "some.zip", here);
  }

  std::ptrdiff_t count() const {
    return std::distance(std::filesystem::directory_iterator(here), {});
  }
};

/// The message that refuses this entry; empty if it is unpacked.
std::string refusal(const ZipEntry& entry) {
  try {
    const Unpacked unpacked({entry});
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("stored and deflated entries become files, empty and large ones too", "[unit]") {
  std::string large;
  for (int i = 0; i < 100'000; ++i) large += std::to_string(i % 977 * 31) + " ";
  const Unpacked unpacked({{.name = "a", .content = "first"},
                           {.name = "b.npz", .content = large, .method = 8, .deflate = true},
                           {.name = "c", .content = "", .method = 8, .deflate = true},
                           {.name = "empty", .content = ""}});
  CHECK(read_file(unpacked.here / "a") == "first");
  CHECK(read_file(unpacked.here / "b.npz") == large);
  CHECK(read_file(unpacked.here / "c").empty());
  CHECK(unpacked.count() == 4);
}

TEST_CASE("the one folder of an archive is left away, those below are left out", "[unit]") {
  const Unpacked unpacked({{.name = "model/", .content = ""},
                           {.name = "model/a", .content = "1"},
                           {.name = "model/more/b", .content = "2"}});
  CHECK(read_file(unpacked.here / "a") == "1");
  CHECK(unpacked.count() == 1);
}

TEST_CASE("no name leads out of the folder", "[unit]") {
  for (const std::string name : {"../../b", "/b", "x/../b"}) {
    CAPTURE(name);
    const Unpacked unpacked({{.name = "a", .content = "1"}, {.name = name, .content = "2"}});
    CHECK(unpacked.count() == 1);
    CHECK_FALSE(std::filesystem::exists(unpacked.folder / "b"));
  }
  CHECK_THAT(refusal({.name = "..", .content = "1"}), test::contains("is not the name of a file"));
  CHECK_THAT(refusal({.name = "a\\b", .content = "1"}),
             test::contains("is not the name of a file"));
}

TEST_CASE("files that almost nothing was packed into are refused, be they large or many",
          "[unit]") {
  const auto of = [](std::size_t size, const char* name = "a") {
    return ZipEntry{.name = name, .content = std::string(size, '0'), .method = 8, .deflate = true};
  };
  const std::size_t limit = std::size_t{1} << 24;
  CHECK(refusal(of(limit)).empty());
  CHECK_THAT(refusal(of(limit + 1)),
             test::contains("entry 'a': with those before it would become 16777217"));
  CHECK_THROWS_WITH(Unpacked({of(limit / 2), of(limit / 2 + 1, "b")}),
                    test::contains("entry 'b': with those before it would become 16777217"));
  auto huge = of(16, "b");
  huge.wide = true;
  huge.more = -17;  // 2^64 - 1
  CHECK_THROWS_WITH(Unpacked({of(16), huge}),
                    test::contains("entry 'b': with those before it would become 2^64 or more"));
}

TEST_CASE("content that is not what the archive announces is refused", "[unit]") {
  const std::string zeros(1 << 20, '0');
  const auto of = [&](std::int64_t more) {
    return refusal({.name = "a", .content = zeros, .method = 8, .deflate = true, .more = more});
  };
  CHECK(of(0).empty());
  CHECK_THAT(of(-(1 << 20) + 1), test::contains("entry 'a': is larger than announced"));
  CHECK_THAT(of(1), test::contains("is smaller than announced"));
  CHECK_THAT(refusal({.name = "a", .content = zeros, .other_crc = 1}),
             test::contains("has another checksum"));
  CHECK_THAT(refusal({.name = "a", .content = zeros, .method = 8}),
             test::contains("is smaller than announced"));
  CHECK_THAT(refusal({.name = "a", .content = zeros, .method = 12}),
             test::contains("is compressed in another way than deflate"));
}

}  // namespace unzip_test
