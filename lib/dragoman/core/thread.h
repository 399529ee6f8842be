#pragma once

#include <signal.h>

#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace dragoman {

/// The most threads that may be asked for by an option or OMP_NUM_THREADS.
inline constexpr std::int64_t most_threads = 1024;

/// \throws OptionsError if `threads` is not in 0 .. `most_threads`. \param place the option's name
void expect_thread_count(std::string_view place, std::int64_t threads);

/// Checks that the system grants `threads` more threads now, for a library that crashes if one is
/// refused. \throws DataError if it grants fewer
void expect_threads(std::int64_t threads);

/// \throws DataError with a remedy if the system refuses a thread
[[noreturn]] void fail_without_thread(const std::system_error& error);

/// While it lives, this thread takes no signals but those that its own instructions raise, and
/// those of profilers. Threads that it starts inherit this for their lifetime.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

/// Starts a thread, to which no signals of the process are delivered: a host's handlers run in the
/// host's threads. \tparam Thread std::thread or std::jthread
/// \throws DataError if the system refuses it (ulimit -u, the limit of a container, no memory)
template <typename Thread, typename Work>
Thread start_thread(Work&& work) {
  const SignalsBlocked blocked;
  try {
    return Thread(std::forward<Work>(work));
  } catch (const std::system_error& error) {
    fail_without_thread(error);
  }
}

}  // namespace dragoman
