#include "dragoman/core/thread.h"

#include "dragoman/core/error.h"
#include "support/catch.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace thread_test {

using namespace dragoman;

namespace {

/// What `action` throws in a process that gets no more threads: the message of a DataError.
template <typename Action>
std::string refusal_without_threads(const Action& action) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    const rlimit none{0, 0};
    std::string message = "no error";
    // The limit does not hold for root.
    if (::setrlimit(RLIMIT_NPROC, &none) != 0 || (::geteuid() == 0 && ::setuid(nobody) != 0))
      ::_exit(1);
    try {
      action();
    } catch (const DataError& error) {
      message = error.what();
    } catch (const std::exception& error) {
      message = std::string("another error: ") + error.what();
    }
    ::_exit(::write(ends[1], message.data(), message.size()) < 0 ? 1 : 0);
  }
  ::close(ends[1]);
  std::string message(1000, '\0');
  message.resize(static_cast<std::size_t>(
      std::max<ssize_t>(::read(ends[0], message.data(), message.size()), 0)));
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return message;
}

}  // namespace

TEST_CASE("numbers of threads out of bounds are refused by the name of the option", "[unit]") {
  CHECK_NOTHROW(expect_thread_count("--threads", 0));
  CHECK_NOTHROW(expect_thread_count("--threads", most_threads));
  CHECK_THROWS_AS(expect_thread_count("--threads", -1), OptionsError);
  CHECK_THROWS_WITH(expect_thread_count("--threads", 100000),
                    test::contains("--threads: 100000 is more than the 1024"));
}

TEST_CASE("a thread that was started runs", "[unit]") {
  std::atomic<int> count{0};
  expect_threads(3);
  {
    const auto thread = start_thread<std::jthread>([&count] { ++count; });
  }
  CHECK(count == 1);
}

TEST_CASE("a refused thread is an error that names the limits", "[unit]") {
  const auto started = refusal_without_threads([] { start_thread<std::jthread>([] {}); });
  CHECK_THAT(started,
             test::contains("the system refuses another thread") && test::contains("ulimit -u"));
  const auto several = refusal_without_threads([] { expect_threads(4); });
  CHECK_THAT(several, test::contains("the system refuses another thread"));
}

}  // namespace thread_test
