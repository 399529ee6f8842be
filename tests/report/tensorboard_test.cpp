#include "dragoman/report/tensorboard.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/report/crc32c.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <algorithm>
#include <bit>
#include <map>

namespace tensorboard_test {

using dragoman::TensorBoard;

namespace {

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

/// The fields of a protocol buffer message: numbers as numbers, texts and messages as bytes.
struct Fields {
  std::multimap<std::uint64_t, std::uint64_t> numbers;
  std::multimap<std::uint64_t, std::string> texts;

  explicit Fields(std::string_view bytes) {
    while (!bytes.empty()) {
      const auto key = varint(bytes);
      if (key % 8 == 0) numbers.emplace(key / 8, varint(bytes));
      if (key % 8 == 1) numbers.emplace(key / 8, little_endian(take(bytes, 8)));
      if (key % 8 == 2) texts.emplace(key / 8, take(bytes, varint(bytes)));
      if (key % 8 == 5) numbers.emplace(key / 8, little_endian(take(bytes, 4)));
    }
  }

  std::uint64_t number(std::uint64_t field) const { return numbers.find(field)->second; }
  std::string text(std::uint64_t field) const { return texts.find(field)->second; }

 private:
  static std::string take(std::string_view& bytes, std::size_t count) {
    REQUIRE(count <= bytes.size());
    const std::string taken(bytes.substr(0, count));
    bytes.remove_prefix(count);
    return taken;
  }
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t number = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(bytes, 1)[0]);
      number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
  }
};

std::vector<Fields> events(const std::filesystem::path& path) {
  const auto content = dragoman::read_file(path);
  std::vector<Fields> found;
  for (std::string_view rest = content; !rest.empty();) {
    REQUIRE(rest.size() >= 16);
    const auto length = little_endian(rest.substr(0, 8));
    CHECK(little_endian(rest.substr(8, 4)) == dragoman::masked_crc32c(rest.substr(0, 8)));
    const auto data = rest.substr(12, length);
    CHECK(little_endian(rest.substr(12 + length, 4)) == dragoman::masked_crc32c(data));
    found.emplace_back(data);
    rest.remove_prefix(16 + length);
  }
  return found;
}

}  // namespace

TEST_CASE("An event file begins with its version and the start of a session", "[unit]") {
  const test::TemporaryDirectory folder;
  const TensorBoard board(folder / "events", 301);
  const auto found = events(board.path());
  REQUIRE(found.size() == 2);
  CHECK(found[0].text(3) == "brain.Event:2");
  CHECK(std::bit_cast<double>(found[0].number(1)) > 1.7e9);  // seconds since 1970
  CHECK(found[1].number(2) == 301);
  CHECK(Fields(found[1].text(7)).number(1) == 1);  // SessionLog.START
}

TEST_CASE("Scalars are in the file as soon as they are written", "[unit]") {
  const test::TemporaryDirectory folder;
  TensorBoard board(folder.path(), 0);
  board.write(1000000, {{"train/loss", 2.5}, {"valid/bleu", -0.125}});
  const auto found = events(board.path());
  REQUIRE(found.size() == 3);
  CHECK(found[2].number(2) == 1000000);
  const Fields summary(found[2].text(5));
  REQUIRE(summary.texts.count(1) == 2);
  auto value = summary.texts.find(1);
  CHECK(Fields(value->second).text(1) == "train/loss");
  CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(Fields(value->second).number(2))) == 2.5F);
  ++value;
  CHECK(Fields(value->second).text(1) == "valid/bleu");
  CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(Fields(value->second).number(2))) == -0.125F);
}

TEST_CASE("A second start in the same second sorts behind the first", "[unit]") {
  const test::TemporaryDirectory folder;
  const auto first = TensorBoard(folder.path(), 0).path();
  const auto second = TensorBoard(folder.path(), 5).path();
  const auto third = TensorBoard(folder.path(), 9).path();
  CHECK(first < second);
  CHECK(second < third);
  CHECK(std::filesystem::exists(first));
}

TEST_CASE("Events that cannot be written are an error that names the place", "[unit]") {
  const test::TemporaryDirectory folder;
  dragoman::write_new_file(folder / "file", "");
  CHECK_THROWS_WITH(TensorBoard(folder / "file", 0),
                    test::contains((folder / "file").string() + ": cannot be made"));
}

}  // namespace tensorboard_test
