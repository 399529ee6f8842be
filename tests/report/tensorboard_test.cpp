#include "dragoman/report/tensorboard.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "support/catch.h"
#include "support/event_file.h"
#include "support/temporary_directory.h"

#include <bit>

namespace tensorboard_test {

using dragoman::TensorBoard;
using test::Fields;

TEST_CASE("An event file begins with its version and the start of a session", "[unit]") {
  const test::TemporaryDirectory folder;
  const TensorBoard board(folder / "events", 301);
  const auto found = test::events_of(board.path());
  REQUIRE(found.size() == 2);
  CHECK(found[0].text(3) == "brain.Event:2");
  CHECK(std::bit_cast<double>(found[0].number(1)) > 1.7e9);  // seconds since 1970
  CHECK(found[1].number(2) == 301);
  CHECK(Fields(found[1].text(7)).number(1) == 1);  // SessionLog.START
}

TEST_CASE("Scalars are in the file as soon as they are written", "[unit]") {
  const test::TemporaryDirectory folder;
  TensorBoard board(folder.path(), 0);
  board.write(1000000, {{"loss", 2.5}, {"bleu", -0.125}});
  const auto found = test::events_of(board.path());
  REQUIRE(found.size() == 3);
  CHECK(found[2].number(2) == 1000000);
  const Fields summary(found[2].text(5));
  REQUIRE(summary.texts.count(1) == 2);
  auto value = summary.texts.find(1);
  CHECK(Fields(value->second).text(1) == "loss");
  CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(Fields(value->second).number(2))) == 2.5F);
  ++value;
  CHECK(Fields(value->second).text(1) == "bleu");
  CHECK(std::bit_cast<float>(static_cast<std::uint32_t>(Fields(value->second).number(2))) ==
        -0.125F);
}

TEST_CASE("A text is a tensor of one string for the plug-in that shows texts", "[unit]") {
  const test::TemporaryDirectory folder;
  TensorBoard board(folder.path(), 0);
  board.write_text(7, "samples", "| a | b |");
  const auto found = test::events_of(board.path());
  REQUIRE(found.size() == 3);
  CHECK(found[2].number(2) == 7);
  const Fields value(Fields(found[2].text(5)).text(1));
  CHECK(value.text(1) == "samples");
  CHECK(Fields(Fields(value.text(9)).text(1)).text(1) == "text");
  const Fields tensor(value.text(8));
  CHECK(tensor.number(1) == 7);  // DT_STRING
  CHECK(Fields(Fields(tensor.text(2)).text(2)).number(1) == 1);
  CHECK(tensor.text(8) == "| a | b |");
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
                    test::contains((folder / "file").string() + ": cannot be created"));
}

}  // namespace tensorboard_test
