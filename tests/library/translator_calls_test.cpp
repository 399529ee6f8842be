#include "library/small_translator.h"
#include "support/catch.h"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

// Calls of one Translator that are cancelled, nested, or at the same time as others.
namespace translator_calls_test {

using test::small_translator;
using test::sources;

TEST_CASE("a call can be cancelled", "[e2e]") {
  const auto translator = small_translator({.set = {"search.sample=true"}, .workers = 1});
  const std::vector<std::string> lines(2000, "a b c d e f g h");
  std::stop_source before;
  before.request_stop();
  CHECK_THROWS_AS(translator.translate(lines, {.stop = before.get_token()}), dragoman::Cancelled);
  CHECK_THROWS_AS(translator.score(lines, lines, before.get_token()), dragoman::Cancelled);
  CHECK_THROWS_AS(translator.translate({}, {.stop = before.get_token()}), dragoman::Cancelled);

  std::stop_source during;
  std::int64_t last = 0;
  const auto progress = [&](std::int64_t done, std::int64_t) {
    last = done;
    during.request_stop();
  };
  CHECK_THROWS_AS(translator.translate(lines, {.progress = progress, .stop = during.get_token()}),
                  dragoman::Cancelled);
  CHECK(last > 0);
  CHECK(last < 2000);
}

TEST_CASE("what the caller's progress throws comes out as it is", "[e2e]") {
  const auto progress = [](std::int64_t, std::int64_t) { throw std::string("mine"); };
  CHECK_THROWS_AS(small_translator().translate(sources(), {.progress = progress}), std::string);
}

TEST_CASE("the caller's progress may translate by the same Translator", "[e2e]") {
  for (const std::int64_t workers : {1, 2}) {
    const auto translator = small_translator({.set = {"search.sample=true"}, .workers = workers});
    const auto expected = translator.translate("a b c").n_best.front().pieces;
    int calls = 0;
    const auto progress = [&](std::int64_t, std::int64_t) {
      ++calls;
      CHECK(translator.translate("a b c").n_best.front().pieces == expected);
    };
    CHECK(translator.translate(sources(), {.progress = progress}).size() == sources().size());
    CHECK(calls > 0);
  }
}

TEST_CASE("the caller's progress may put another Translator in the place of its own", "[e2e]") {
  const dragoman::TranslatorOptions options{.set = {"search.sample=true"}, .workers = 1};
  const auto expected = small_translator(options).translate(sources());
  std::optional<dragoman::Translator> translator = small_translator(options);
  bool given = false;
  const auto progress = [&](std::int64_t, std::int64_t) {
    if (given)
      translator.reset();
    else
      translator.emplace(small_translator());
    given = true;
  };
  const auto found = translator->translate(sources(), {.progress = progress});
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    CHECK(found[i].n_best.front().pieces == expected[i].n_best.front().pieces);
  CHECK(given);
}

TEST_CASE("the caller's progress may wait for another thread's call", "[e2e]") {
  const auto translator = small_translator({.set = {"search.sample=true"}, .workers = 1});
  const auto expected = translator.translate("a b c").n_best.front().pieces;
  std::thread::id told_by;
  std::vector<std::string> found;
  const auto progress = [&](std::int64_t, std::int64_t) {
    told_by = std::this_thread::get_id();
    std::jthread([&] { found = translator.translate("a b c").n_best.front().pieces; }).join();
  };
  CHECK(translator.translate(sources(), {.progress = progress}).size() == sources().size());
  CHECK(told_by == std::this_thread::get_id());
  CHECK(found == expected);
}

TEST_CASE("a call can be cancelled by another thread, however long one of its lines is", "[e2e]") {
  const auto translator = small_translator({.workers = 1});
  std::string line;
  for (int i = 0; i < 15000; ++i) line += "a ";
  std::stop_source stop;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop.request_stop();
  });
  const std::vector<std::string> lines{line};
  CHECK_THROWS_AS(translator.score(lines, lines, stop.get_token()), dragoman::Cancelled);
}

}  // namespace translator_calls_test
