#include "dragoman/storage/zip_file.h"

#include "dragoman/core/error.h"
#include "storage/zip_support.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <fstream>

namespace zip_file_test {

using namespace dragoman;
using test::ZipEntry;

namespace {

std::filesystem::path written(const test::TemporaryDirectory& folder, std::string_view bytes) {
  const auto path = folder / "some.zip";
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// The message that refuses these bytes; empty if they are read.
std::string refusal(std::string_view bytes) {
  const test::TemporaryDirectory folder;
  try {
    ZipFile(written(folder, bytes)).expect_checksums();
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("stored entries are found by name, with sizes of 32 and of 64 bits and a comment",
          "[unit]") {
  const test::TemporaryDirectory folder;
  const auto path = written(
      folder, test::zip_of({{.name = "a", .content = "first"},
                            {.name = "b/c.npy", .content = std::string(300, 'x'), .wide = true},
                            {.name = "empty", .content = ""}},
                           "PK\x05\x06 is no end"));
  const ZipFile file(path);
  CHECK(file.entries().size() == 3);
  REQUIRE(file.find("b/c.npy") != nullptr);
  CHECK(*file.find("a") == "first");
  CHECK(*file.find("b/c.npy") == std::string(300, 'x'));
  CHECK(file.find("empty")->empty());
  CHECK(file.find("c.npy") == nullptr);
}

TEST_CASE("archives that another reader may take for something else are refused", "[unit]") {
  const auto of = [](const ZipEntry& entry) { return refusal(test::zip_of({entry})); };
  CHECK_THAT(of({.name = "a", .content = "x", .method = 8}),
             test::contains("entry 'a': is compressed"));
  CHECK_THAT(of({.name = "a", .content = "x", .flags = 1}), test::contains("is encrypted"));
  CHECK_THAT(of({.name = "a", .content = "x", .more = 1000}), test::contains("ends in the middle"));
  CHECK_THAT(of({.name = "a", .content = "x", .more = -2}), test::contains("ends in the middle"));
  CHECK_THAT(of({.name = "a", .content = "x", .shift = 1}), test::contains("has no header"));
  CHECK_THAT(of({.name = "a", .content = "x", .wide = true, .shift = -1}),
             test::contains("ends in the middle"));
  CHECK_THAT(refusal(test::zip_of({{.name = "a", .content = "x"}, {.name = "a", .content = "y"}})),
             test::contains("has the entry 'a' twice"));
  CHECK_THAT(refusal(test::zip_of({{.name = "a", .content = "x", .more = 40},
                                   {.name = "b", .content = "yyyyyyyyyy"}})),
             test::contains("entry 'b': overlaps 'a'"));
  auto renamed = test::zip_of({{.name = "a", .content = "x"}});
  renamed[30] = 'z';
  CHECK_THAT(refusal(renamed), test::contains("has another name in its header"));
  CHECK_THAT(refusal("PK\x03\x04 and then nothing of a directory"),
             test::contains("its end is missing"));
  CHECK_THAT(refusal("PK"), test::contains("is too short"));
}

TEST_CASE("content with another checksum is refused, unless the archive has none", "[unit]") {
  CHECK_THAT(refusal(test::zip_of({{.name = "a", .content = "12345", .other_crc = 1}})),
             test::contains("entry 'a': has another checksum than announced; the archive is"));
  auto flipped = test::zip_of({{.name = "a", .content = "12345"}});
  flipped[flipped.find("12345")] ^= 1;
  CHECK_THAT(refusal(flipped), test::contains("has another checksum"));
  // torch.save with torch.serialization.set_crc32_options(False) writes zeros.
  const std::uint32_t crc_of_5 = 0xCBF53A1C;  // of "12345"
  const auto without = [&](std::uint32_t more) {
    return refusal(test::zip_of({{.name = "a", .content = "12345", .other_crc = 0U - crc_of_5},
                                 {.name = "b", .content = "12345", .other_crc = more}}));
  };
  CHECK(without(0U - crc_of_5).empty());
  CHECK_THAT(without(0), test::contains("entry 'a': has another checksum"));
}

TEST_CASE("an archive cut anywhere, or with any byte changed, is refused or read in its bounds",
          "[property]") {
  const auto whole = test::zip_of(
      {{.name = "a", .content = "12345"}, {.name = "b", .content = "678", .wide = true}});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(refusal(whole.substr(0, size)).empty());
  }
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const char value : {'\0', '\x01', '\x7F', '\xFF'}) {
      auto damaged = whole;
      damaged[at] = value;
      const test::TemporaryDirectory folder;
      const auto path = written(folder, damaged);
      try {
        const ZipFile file(path);
        for (const auto& [name, content] : file.entries()) CHECK(content.size() <= whole.size());
      } catch (const FormatError&) {
      }
    }
}

}  // namespace zip_file_test
