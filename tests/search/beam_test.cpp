#include "dragoman/search/beam.h"

#include "support/catch.h"

#include <vector>

namespace beam_test {

namespace {

using dragoman::Beam;
using dragoman::Extension;
using dragoman::SearchOptions;
using Ids = std::vector<std::int32_t>;

constexpr std::int64_t eos = 3;

}  // namespace

TEST_CASE("histories follow the back-pointers", "[unit]") {
  Beam beam({.beam_size = 2, .n_best = 2}, 5, eos);
  beam.advance(std::vector<Extension>{{0, 4, -1.0}, {0, 5, -2.0}});
  beam.advance(std::vector<Extension>{{1, 6, -2.1}, {0, 7, -2.2}, {1, 8, -2.3}});
  REQUIRE(beam.live().size() == 2);
  CHECK(beam.live()[0].ids == Ids{5, 6});
  CHECK(beam.live()[0].parent == 1);
  CHECK(beam.live()[1].ids == Ids{4, 7});
}

TEST_CASE("a finished hypothesis takes no slot among the live ones", "[unit]") {
  Beam beam({.beam_size = 2, .length_penalty = 1.0}, 50, eos);
  beam.advance(std::vector<Extension>{{0, eos, -0.5}, {0, 4, -1.0}, {0, 5, -2.0}});
  CHECK(beam.live().size() == 2);
  CHECK(beam.result()[0].ids == Ids{eos});
}

TEST_CASE("a hypothesis that can no longer enter the result is dropped", "[unit]") {
  const auto live_after = [](std::int64_t n_best) {
    Beam beam({.beam_size = 3, .length_penalty = 0.0, .n_best = n_best}, 20, eos);
    beam.advance(std::vector<Extension>{{0, 4, -0.5}, {0, eos, -1.0}, {0, 5, -1.0}, {0, 6, -1.5}});
    return beam.live().size();
  };
  CHECK(live_after(1) == 1);  // -1.0 cannot exceed the finished -1.0
  CHECK(live_after(2) == 3);  // one more is wanted
}

TEST_CASE("the search continues while a longer hypothesis may still win", "[unit]") {
  const SearchOptions generous{.beam_size = 1, .length_penalty = 1.0};
  Beam beam(generous, 20, eos);
  beam.advance(std::vector<Extension>{{0, eos, -1.0}, {0, 4, -1.1}});
  CHECK_FALSE(beam.done());  // -1.1 / lp(20) > -1.0 / lp(1)
  Beam strict({.beam_size = 1, .length_penalty = 0.0}, 20, eos);
  strict.advance(std::vector<Extension>{{0, eos, -1.0}, {0, 4, -1.1}});
  CHECK(strict.done());
}

TEST_CASE("a search may end with as many finished hypotheses as its beam holds", "[unit]") {
  const auto done_after = [](dragoman::EarlyStopping rule, std::size_t steps) {
    Beam beam({.beam_size = 2, .length_penalty = 1.0, .early_stopping = rule}, 50, eos);
    const std::vector<std::vector<Extension>> all = {{{0, 4, -0.5}, {0, eos, -3.0}, {0, 5, -4.0}},
                                                     {{0, 6, -0.6}, {0, eos, -3.5}}};
    for (std::size_t i = 0; i < steps; ++i) beam.advance(all[i]);
    return beam.done();
  };
  using enum dragoman::EarlyStopping;
  CHECK_FALSE(done_after(beam, 1));
  CHECK(done_after(beam, 2));
  CHECK_FALSE(done_after(first, 2));
  CHECK_FALSE(done_after(off, 2));
}

TEST_CASE("a search may end when the most probable candidate of a step is a finished one",
          "[unit]") {
  const auto done_after = [](dragoman::EarlyStopping rule, std::int64_t n_best) {
    Beam beam({.beam_size = 3, .length_penalty = 1.0, .n_best = n_best, .early_stopping = rule}, 50,
              eos);
    beam.advance(std::vector<Extension>{{0, eos, -1.0}, {0, 4, -1.1}, {0, 5, -1.2}});
    return beam.done();
  };
  using enum dragoman::EarlyStopping;
  CHECK(done_after(first, 1));
  CHECK_FALSE(done_after(first, 2));
  CHECK_FALSE(done_after(beam, 1));
  CHECK_FALSE(done_after(off, 1));
}

TEST_CASE("the length limit ends the search and marks the hypotheses it stopped", "[unit]") {
  Beam beam({.beam_size = 2, .n_best = 2}, 1, eos);
  beam.advance(std::vector<Extension>{{0, 4, -1.0}, {0, eos, -2.0}});
  CHECK(beam.done());
  REQUIRE(beam.result().size() == 2);
  CHECK(beam.result()[0].finished);
  CHECK_FALSE(beam.result()[1].finished);
}

TEST_CASE("all that was found begins with the best", "[unit]") {
  Beam beam({.beam_size = 2, .length_penalty = 0.0, .n_best = 1}, 2, eos);
  beam.advance(std::vector<Extension>{{0, eos, -1.0}, {0, 4, -0.5}, {0, 5, -0.7}});
  beam.advance(std::vector<Extension>{{0, eos, -1.2}, {0, 6, -1.3}});
  REQUIRE(beam.result().size() == 1);
  const auto found = beam.found();
  REQUIRE(found.size() == 2);
  CHECK(found[0].ids == beam.result()[0].ids);
  CHECK(found[1].ids == Ids{4, eos});
}

TEST_CASE("a sentence without any extension is done", "[unit]") {
  Beam beam({.beam_size = 2}, 9, eos);
  beam.advance(std::vector<Extension>{{0, eos, -1.0}});
  CHECK(beam.done());
}

TEST_CASE("coverage decides between equally probable hypotheses, finished or not", "[unit]") {
  Beam beam({.beam_size = 2, .length_penalty = 0.0, .n_best = 4}, 2, eos);
  beam.advance(
      std::vector<Extension>{{0, 4, -1.0, -0.3}, {0, eos, -1.1, -0.3}, {0, 5, -1.2, -0.3}});
  beam.advance(std::vector<Extension>{
      {0, eos, -1.3, -0.2}, {0, 6, -1.4, -0.2}, {1, eos, -1.45, 0.0}, {1, 6, -1.5, 0.0}});
  const auto result = beam.result();
  REQUIRE(result.size() == 4);
  CHECK(result[0].score == -1.1 - 0.3);
  CHECK(result[1].ids == Ids{5, eos});
  CHECK(result[2].ids == Ids{4, eos});
  CHECK(result[3].ids == Ids{5, 6});
  CHECK(result[3].score == -1.5);
}

}  // namespace beam_test
