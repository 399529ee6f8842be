#include "dragoman/run/manifest.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/system_error.h"
#include "dragoman/run/checkpoint_writer.h"
#include "dragoman/storage/sha256.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <sys/stat.h>

namespace manifest_test {

using namespace dragoman;

namespace {

std::filesystem::path write_checkpoint(const test::TemporaryDirectory& folder) {
  CheckpointWriter writer(folder.path(), 1200);
  writer.write("state.json", "{}");
  writer.write("weights", {"ab", "", "cde"});
  writer.finish();
  return folder.path();
}

void replace_file(const std::filesystem::path& path, std::string_view content) {
  std::filesystem::remove(path);
  write_new_file(path, content);
}

/// A manifest's text with another version and a checksum that fits.
std::string with_version(std::string text, const std::string& version) {
  const std::string key = "\"format_version\": ";
  text.replace(text.find(key) + key.size(), 1, version);
  const auto place = text.rfind("\"checksum\": \"") + 13;
  text.replace(place, 64, std::string(64, '0'));
  return text.replace(place, 64, sha256_hex(text));
}

}  // namespace

TEST_CASE("A manifest read back is the one that was written", "[property]") {
  const test::TemporaryDirectory folder;
  const auto manifest = verify_checkpoint(write_checkpoint(folder));
  CHECK(manifest.step == 1200);
  CHECK(manifest.total_size() == 7);
  CHECK(read_file(folder / "weights") == "abcde");
  CHECK(manifest.files.at("weights").sha256 == sha256_hex("abcde"));
}

TEST_CASE("Any changed byte of a manifest is found", "[property]") {
  const test::TemporaryDirectory folder;
  const auto path = write_checkpoint(folder) / "manifest.json";
  const auto whole = read_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    auto damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    replace_file(path, damaged);
    CAPTURE(i);
    CHECK_THROWS_AS(read_manifest(folder.path()), FormatError);
  }
  replace_file(path, whole.substr(0, whole.size() / 2));
  CHECK_THROWS_WITH(read_manifest(folder.path()),
                    test::contains("manifest.json: holds no checksum"));
}

TEST_CASE("A changed, short or missing file is named", "[unit]") {
  const test::TemporaryDirectory folder;
  write_checkpoint(folder);
  replace_file(folder / "weights", "abcdX");
  CHECK_THROWS_WITH(verify_checkpoint(folder.path()), test::contains("weights: its SHA-256"));
  CHECK_NOTHROW(verify_checkpoint(folder.path(), Verification::sizes));
  replace_file(folder / "weights", "abcd");
  CHECK_THROWS_WITH(verify_checkpoint(folder.path(), Verification::sizes),
                    test::contains("weights: has 4 bytes instead of 5"));
  std::filesystem::remove(folder / "weights");
  CHECK_THROWS_WITH(verify_checkpoint(folder.path()), test::contains("weights: cannot be opened"));
}

TEST_CASE("A manifest of a newer version asks for a newer program", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto path = write_checkpoint(folder) / "manifest.json";
  const auto text = read_file(path);
  replace_file(path, with_version(text, "1"));
  CHECK_NOTHROW(read_manifest(folder.path()));
  replace_file(path, with_version(text, "2"));
  CHECK_THROWS_WITH(
      read_manifest(folder.path()),
      test::contains("format_version 2 is newer than 1") && test::contains("use a newer dragoman"));
}

TEST_CASE("A newer version may have other checksums, or none", "[unit]") {
  const test::TemporaryDirectory folder;
  replace_file(folder / "manifest.json", R"({"format_version": 2, "hash": "other"})");
  CHECK_THROWS_AS(read_manifest(folder.path()), NewerVersion);
  replace_file(folder / "manifest.json", R"({"format_version": "2"})");
  CHECK_THROWS_WITH(read_manifest(folder.path()), test::contains("holds no checksum"));
}

TEST_CASE("A file that the disk does not give is an error of the system", "[unit]") {
  const test::TemporaryDirectory folder;
  CheckpointWriter writer(folder.path(), 1);
  writer.write("weights", "");
  writer.finish();
  std::filesystem::remove(folder / "weights");
  std::filesystem::create_symlink("/proc/self/mem", folder / "weights");  // regular, but EIO at 0
  CHECK_THROWS_AS(verify_checkpoint(folder.path()), SystemError);
  CHECK_THROWS_WITH(verify_checkpoint(folder.path()),
                    test::contains("weights: cannot be read: Input/output error"));
}

TEST_CASE("A file of a checkpoint that is a pipe or a folder is an error and no wait", "[unit]") {
  const test::TemporaryDirectory folder;
  write_checkpoint(folder);
  std::filesystem::remove(folder / "weights");
  REQUIRE(::mkfifo((folder / "weights").c_str(), 0600) == 0);
  CHECK_THROWS_WITH(verify_checkpoint(folder.path()),
                    test::contains("weights: is not a regular file"));
  std::filesystem::remove(folder / "weights");
  std::filesystem::create_directory(folder / "weights");
  CHECK_THROWS_WITH(verify_checkpoint(folder.path()),
                    test::contains("weights: is not a regular file"));
}

TEST_CASE("A .safetensors file of a checkpoint has to be one", "[unit]") {
  const test::TemporaryDirectory folder;
  CheckpointWriter writer(folder.path(), 1);
  writer.write("model.safetensors", "not at all");
  writer.finish();
  CHECK_THROWS_WITH(verify_checkpoint(folder.path()),
                    test::contains("model.safetensors: announces"));
}

TEST_CASE("A manifest that is far too large is refused", "[unit]") {
  const test::TemporaryDirectory folder;
  write_checkpoint(folder);
  std::filesystem::resize_file(folder / "manifest.json",
                               std::uintmax_t{3} << 30);  // takes no space
  CHECK_THROWS_WITH(verify_checkpoint(folder.path()),
                    test::contains("has 3221225472 bytes, far more than such a file needs"));
}

TEST_CASE("A file is never written over another", "[unit]") {
  const test::TemporaryDirectory folder;
  CheckpointWriter writer(folder.path(), 1);
  writer.write("a", "1");
  CHECK_THROWS_AS(writer.write("a", "2"), DataError);
  CHECK(read_file(folder / "a") == "1");
}

TEST_CASE("A manifest that is a circle of links or a pipe is an error and no wait", "[unit]") {
  const test::TemporaryDirectory folder;
  std::filesystem::create_symlink("manifest.json", folder / "manifest.json");
  CHECK_THROWS_AS(verify_checkpoint(folder.path()), DataError);
  std::filesystem::remove(folder / "manifest.json");
  REQUIRE(::mkfifo((folder / "manifest.json").c_str(), 0600) == 0);
  CHECK_THROWS_AS(verify_checkpoint(folder.path()), DataError);
}

}  // namespace manifest_test
