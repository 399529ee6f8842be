#include "support/terminal.h"

#include "support/process.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace test {

namespace {

/// The child's part: the terminal becomes its controlling one and its stderr.
[[noreturn]] void become(const std::vector<std::string>& command, const char* terminal) {
  ::setsid();
  const int descriptor = ::open(terminal, O_RDWR);
  ::ioctl(descriptor, TIOCSCTTY, 0);
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(nothing, 0);
  ::dup2(nothing, 1);
  ::dup2(descriptor, 2);
  ::setenv("TERM", "xterm", 1);
  execute(command);
}

/// All that comes until the program has closed the terminal. \param until then Ctrl-C is typed,
/// once
std::string read_terminal(int terminal, const std::string& until) {
  std::string output;
  bool typed = until.empty();
  char buffer[1 << 14];
  for (;;) {
    const auto count = ::read(terminal, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return output;  // EIO when the last process has gone
    output.append(buffer, static_cast<std::size_t>(count));
    if (typed || output.find(until) == std::string::npos) continue;
    typed = ::write(terminal, "\x03", 1) == 1;
  }
}

/// Bytes of the character at `at`.
std::size_t character_length(const std::string& text, std::size_t at) {
  std::size_t length = 1;
  while (at + length < text.size() &&
         (static_cast<unsigned char>(text[at + length]) & 0xC0) == 0x80)
    ++length;
  return length;
}

class Emulator {
 public:
  explicit Emulator(std::size_t columns) : columns_(columns) {}

  void put(const std::string& character) {
    if (column_ == columns_) {
      column_ = 0;
      wrapped_ = true;
      row_to(row_ + 1);
    }
    auto& row = rows_[row_];
    if (column_ < row.size())
      row[column_] = character;
    else
      row.push_back(character);
    ++column_;
  }

  void line_feed() {
    wrapped_ = false;  // a line of the log may
    column_ = 0;
    row_to(row_ + 1);
  }

  void carriage_return() {
    screen_.live_line_wrapped = screen_.live_line_wrapped || wrapped_;
    wrapped_ = false;
    column_ = 0;
  }

  void sequence(char name, std::size_t count) {
    if (name == 'A') row_ -= std::min(row_, count);
    if (name == 'K' || name == 'J') rows_[row_].resize(std::min(column_, rows_[row_].size()));
    if (name == 'J') rows_.resize(row_ + 1);
  }

  Screen screen() {
    carriage_return();
    for (const auto& row : rows_) {
      screen_.rows.emplace_back();
      for (const auto& character : row) screen_.rows.back() += character;
    }
    return screen_;
  }

 private:
  void row_to(std::size_t row) {
    row_ = row;
    if (rows_.size() <= row_) rows_.resize(row_ + 1);
  }

  std::size_t columns_, row_ = 0, column_ = 0;
  bool wrapped_ = false;
  std::vector<std::vector<std::string>> rows_{1};
  Screen screen_;
};

}  // namespace

TerminalResult run_on_terminal(const std::vector<std::string>& command, int columns,
                               const std::string& until) {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0 || ::grantpt(terminal) != 0 || ::unlockpt(terminal) != 0)
    throw std::runtime_error("no pseudo-terminal");
  const std::string name = ::ptsname(terminal);
  winsize size{};
  size.ws_row = 24;
  size.ws_col = static_cast<unsigned short>(columns);
  ::ioctl(terminal, TIOCSWINSZ, &size);
  const int keep = ::open(name.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  const pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) become(command, name.c_str());
  ::close(keep);
  TerminalResult result;
  result.output = read_terminal(terminal, until);
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

Screen screen_of(const std::string& output, std::size_t columns) {
  Emulator emulator(columns);
  for (std::size_t at = 0; at < output.size();) {
    const auto length = character_length(output, at);
    if (output[at] == '\n') {
      emulator.line_feed();
    } else if (output.compare(at, 2, "\r\n") == 0) {
      // One line feed: the terminal's driver has put the carriage return before it.
    } else if (output[at] == '\r') {
      emulator.carriage_return();
    } else if (output[at] == '\033' && at + 1 < output.size() && output[at + 1] == '[') {
      const auto name = output.find_first_not_of("0123456789", at + 2);
      if (name == std::string::npos) break;
      const auto count = static_cast<std::size_t>(std::atoi(output.c_str() + at + 2));
      emulator.sequence(output[name], count == 0 ? 1 : count);
      at = name + 1;
      continue;
    } else {
      emulator.put(output.substr(at, length));
    }
    at += length;
  }
  return emulator.screen();
}

}  // namespace test
