#include "dragoman/corpus/text_identity.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <sys/stat.h>
#include <chrono>
#include <fstream>

namespace text_identity_test {

using namespace dragoman;

namespace {

struct TwoFiles {
  test::TemporaryDirectory folder;
  std::vector<std::string> sources{(folder / "a.x").string(), (folder / "b.x").string()};
  std::vector<std::string> targets{(folder / "a.y").string(), (folder / "b.y").string()};
  std::filesystem::path record = folder / "text.json";

  TwoFiles() {
    write(sources[0], "one\ntwo\n");
    write(sources[1], "three\n");
    write(targets[0], "eins\nzwei\n");
    write(targets[1], "drei\n");
  }
  static void write(const std::string& file, const std::string& text) {
    std::ofstream(file) << text;
  }
  TextIdentity identity() const { return identify_text(sources, targets, record); }
  /// Puts a mark into the record that shows whether it was rewritten.
  void mark_record() const {
    auto json = nlohmann::json::parse(read_file(record));
    json["text"]["sha256"] = "mark";
    write_file_atomically(record, json.dump());
  }
};

}  // namespace

TEST_CASE("a text is identified by its pairs and their division into files", "[unit]") {
  const TwoFiles text;
  const auto identity = text.identity();
  CHECK(identity.pairs == std::vector<std::int64_t>{2, 1});
  CHECK(identity.sha256 == sha256_hex("one\neins\ntwo\nzwei\nthree\ndrei\n"));
}

TEST_CASE("files of the same names, sizes and times are not read again", "[unit]") {
  const TwoFiles text;
  text.identity();
  text.mark_record();
  CHECK(text.identity().sha256 == "mark");
}

TEST_CASE("a file that was only touched is read again and has the same identity", "[unit]") {
  const TwoFiles text;
  const auto before = text.identity();
  text.mark_record();
  std::filesystem::last_write_time(
      text.sources[1], std::filesystem::file_time_type::clock::now() + std::chrono::seconds(9));
  CHECK(text.identity() == before);
  text.mark_record();
  CHECK(text.identity().sha256 == "mark");
}

TEST_CASE("a changed text has another identity", "[unit]") {
  const TwoFiles text;
  const auto before = text.identity();
  TwoFiles::write(text.targets[1], "drei!\n");
  CHECK(text.identity().sha256 != before.sha256);
}

TEST_CASE("a damaged record is rebuilt", "[unit]") {
  const TwoFiles text;
  const auto before = text.identity();
  write_file_atomically(text.record, "{\"files\": 7");
  CHECK(text.identity() == before);
  CHECK(nlohmann::json::parse(read_file(text.record)).contains("text"));
}

TEST_CASE("training text that is a pipe is refused by name", "[unit]") {
  TwoFiles text;
  text.sources[0] = (text.folder / "pipe").string();
  REQUIRE(::mkfifo(text.sources[0].c_str(), 0600) == 0);
  CHECK_THROWS_WITH(text.identity(), test::contains("pipe: is not a regular file"));
}

}  // namespace text_identity_test
