#include "library/small_translator.h"
#include "support/catch.h"

#include <atomic>
#include <chrono>
#include <latch>
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
    translator.translate(sources(), {.progress = [&](std::int64_t, std::int64_t) {
                           ++calls;
                           CHECK(translator.translate("a b c").n_best.front().pieces == expected);
                         }});
    CHECK(calls > 0);
  }
}

TEST_CASE("one line does not wait for a long text, and can be cancelled while it waits", "[e2e]") {
  const auto translator =
      small_translator({.set = {"search.sample=true", "search.batch_tokens=20"}, .workers = 1});
  const std::vector<std::string> lines(300, "a b c d e f g h");
  std::atomic<std::int64_t> done = 0, done_by_then = 0;
  bool cancelled = false;
  std::jthread short_call;
  translator.translate(lines, {.progress = [&](std::int64_t now, std::int64_t) {
                         done = now;
                         if (short_call.joinable()) {
                           // Time for its thread to ask, on a busy machine too.
                           if (done_by_then == 0)
                             std::this_thread::sleep_for(std::chrono::milliseconds(20));
                           return;
                         }
                         std::latch begun(1);
                         short_call = std::jthread([&] {
                           begun.count_down();
                           translator.translate("a");
                           done_by_then = done.load();
                         });
                         begun.wait();
                         // The only worker is here: a call that is to be cancelled waits.
                         std::stop_source stop;
                         std::jthread waiting([&] {
                           try {
                             translator.translate(lines, {.stop = stop.get_token()});
                           } catch (const dragoman::Cancelled&) {
                             cancelled = true;
                           }
                         });
                         stop.request_stop();
                       }});
  short_call.join();
  CHECK(cancelled);
  CHECK(done == 300);
  CHECK(done_by_then < 300);
}

}  // namespace translator_calls_test
