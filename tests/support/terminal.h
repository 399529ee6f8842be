#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace test {

/// What a program left that ran with its stderr on a terminal.
struct TerminalResult {
  int exit_code = 0;   ///< 128 + signal where it was killed by one
  std::string output;  ///< the bytes that came, control sequences included
};

/// Runs a program with stderr on a terminal of so many columns, and waits for its end. Once the
/// terminal has shown `until` (if it is not empty), it gets the keys Ctrl-C.
TerminalResult run_on_terminal(const std::vector<std::string>& command, int columns,
                               const std::string& until = {});

/// What a terminal of so many columns shows at the end, row by row, the lines that scrolled away
/// included. Understands carriage return, line feed, and the sequences that move the cursor up (A)
/// and erase the rest of the row (K) or of the screen (J).
struct Screen {
  std::vector<std::string> rows;
  bool live_line_wrapped = false;  ///< text without a line feed behind it went on in the next row
};

Screen screen_of(const std::string& output, std::size_t columns);

}  // namespace test
