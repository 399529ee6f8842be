#include "dragoman/complexity/child_measurement.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"
#include "dragoman/core/foreign_errors.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace dragoman {

namespace {

/// {"result"}, or {"error"} that the user can mend, or {"bug"}.
nlohmann::json outcome_of(const std::function<nlohmann::json()>& measure) {
  try {
    try {
      return {{"result", measure()}};
    } catch (...) {
      rethrow_as_error();
    }
  } catch (const InternalError& error) {
    return {{"bug", error.what()}};
  } catch (const Error& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

nlohmann::json measure_in_child(const std::function<nlohmann::json()>& measure) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw InternalError(concat("pipe: ", std::strerror(errno)));
  const auto child = ::fork();
  if (child < 0) throw InternalError(concat("fork: ", std::strerror(errno)));
  if (child == 0) {
    ::close(ends[0]);
    try {
      const auto outcome = outcome_of(measure);
      Descriptor(ends[1], "pipe")
          .write(outcome.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } catch (...) {  // the parent misses the result
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  try {
    text = Descriptor(ends[0], "pipe").read();
  } catch (const Error&) {  // told below, when the child has ended
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)  // by the kernel, mostly
    throw DataError(
        "a measurement was ended by signal 9; measure again, on a machine with more free memory");
  if (WIFSIGNALED(status))
    throw InternalError(concat("a measurement was ended by signal ", WTERMSIG(status)));
  const auto outcome = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!outcome.is_object()) throw InternalError("a measurement ended without a result");
  if (outcome.contains("result")) return outcome.at("result");
  if (outcome.contains("error")) throw DataError(outcome.at("error"));
  throw InternalError(outcome.at("bug"));
}

}  // namespace dragoman
