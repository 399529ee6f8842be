#include "dragoman/core/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace dragoman {

bool stderr_is_terminal() {
  if (::isatty(STDERR_FILENO) != 1) return false;
  const char* name = std::getenv("TERM");
  return name == nullptr || std::string_view(name) != "dumb";
}

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace dragoman
