#include "dragoman/complexity/child_measurement.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace dragoman {

namespace {

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string read_all(int file) {
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const auto count = ::read(file, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

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
    write_all(ends[1], outcome_of(measure));
    ::_exit(0);
  }
  ::close(ends[1]);
  const auto text = read_all(ends[0]);
  ::close(ends[0]);
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  if (text.empty()) throw InternalError("a measurement ended without a result");
  if (text.front() == '!') throw InternalError(text.substr(1));
  return nlohmann::json::parse(text);
}

}  // namespace dragoman
