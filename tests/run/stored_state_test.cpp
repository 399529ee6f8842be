#include "dragoman/run/stored_state.h"

#include "dragoman/core/error.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

#include <fstream>
#include <string>

namespace stored_state_test {

using namespace dragoman;
using test::contains;

namespace {

/// A checkpoint with nothing but a state.
struct StateAlone : test::TemporaryDirectory {
  explicit StateAlone(const std::string& content) {
    std::ofstream(*this / "state.json") << content;
  }
};

}  // namespace

TEST_CASE("the state of a training says what the run is made from", "[unit]") {
  const StateAlone checkpoint(R"({"skipped": 0, "identity": {"start_from": "runs/a"}})");
  const auto state = read_stored_state(checkpoint.path());
  CHECK(state.is_training());
  CHECK(state.identity().at("start_from") == "runs/a");
}

TEST_CASE("an averaged model's state is not that of a training", "[unit]") {
  const StateAlone checkpoint(R"({"averaged": ["runs/a"]})");
  const auto state = read_stored_state(checkpoint.path());
  CHECK_FALSE(state.is_training());
  CHECK(state.identity().empty());
}

TEST_CASE("a damaged state is refused in plain words", "[unit]") {
  const StateAlone cut_off(R"({"skipped": 0)"), list("[]"), odd(R"({"identity": 3})");
  CHECK_THROWS_WITH(read_stored_state(cut_off.path()),
                    contains("state.json: is damaged: it ends too early, after 13 bytes; use "
                             "another checkpoint"));
  CHECK_THROWS_WITH(find_stored_state(list.path()), contains("is damaged: not a JSON object"));
  CHECK_THROWS_WITH(read_stored_state(odd.path()).identity(),
                    contains("is damaged: its identity is not an object"));
}

TEST_CASE("a checkpoint without a state has none", "[unit]") {
  const test::TemporaryDirectory checkpoint;
  CHECK_FALSE(find_stored_state(checkpoint.path()));
  CHECK_THROWS_AS(read_stored_state(checkpoint.path()), DataError);
}

}  // namespace stored_state_test
