#include "dragoman/complexity/child_measurement.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/descriptor.h"
#include "dragoman/core/error.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace dragoman {

namespace {

/// As text, or "!" and the error's message.
std::string outcome_of(const std::function<nlohmann::json()>& measure) {
  try {
    return measure().dump();
  } catch (const std::exception& error) {
    return concat('!', error.what());
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
      Descriptor(ends[1], "pipe").write(outcome_of(measure));
    } catch (const Error&) {  // the parent misses the result
    }
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  try {
    text = Descriptor(ends[0], "pipe").read();
  } catch (const Error&) {  // told below, when the child has ended
  }
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (text.empty()) throw InternalError("a measurement ended without a result");
  if (text.front() == '!') throw InternalError(text.substr(1));
  return nlohmann::json::parse(text);
}

}  // namespace dragoman
