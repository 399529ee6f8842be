#include "dragoman/core/thread.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <latch>
#include <thread>
#include <vector>

namespace dragoman {

void expect_thread_count(std::string_view place, std::int64_t threads) {
  if (threads < 0) throw OptionsError(concat(place, ": ", threads, " is negative; give 0 or more"));
  if (threads > most_threads)
    throw OptionsError(concat(place, ": ", threads, " is more than the ", most_threads,
                              " that are allowed; choose at most the number of cores"));
}

SignalsBlocked::SignalsBlocked() {
  sigset_t blocked;
  ::sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPIPE, SIGXFSZ,
                        SIGPROF, SIGVTALRM})
    ::sigdelset(&blocked, own);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
}

SignalsBlocked::~SignalsBlocked() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

void expect_threads(std::int64_t threads) {
  std::latch all_tried(1);
  std::vector<std::jthread> started;
  try {
    started.reserve(static_cast<std::size_t>(threads));
    for (std::int64_t i = 0; i < threads; ++i)
      started.push_back(start_thread<std::jthread>([&all_tried] { all_tried.wait(); }));
  } catch (...) {
    all_tried.count_down();
    throw;
  }
  all_tried.count_down();
}

void fail_without_thread(const std::system_error& error) {
  throw DataError(
      concat("the system refuses another thread: ", error.code().message(),
             "; use fewer (--workers, --threads, OMP_NUM_THREADS), or raise the limit of "
             "processes or memory (ulimit -u, ulimit -v, the container's limits)"));
}

}  // namespace dragoman
