#pragma once

#include "dragoman/core/log_sink.h"

#include <string>
#include <string_view>

namespace dragoman {

/// One line on stderr, if `level` is printed: "dragoman: warning: ...". Control characters in
/// `message` are printed in a harmless form. May be called from any thread.
void log(LogLevel level, std::string_view message);

inline void log_info(std::string_view message) { log(LogLevel::info, message); }
inline void log_warning(std::string_view message) { log(LogLevel::warning, message); }
inline void log_debug(std::string_view message) { log(LogLevel::debug, message); }

/// Puts "name: " in front of each message from now on: which of several processes it is from.
void set_log_name(const std::string& name);

/// Whether each line begins with the local time of day, "14:03:27"; not at start.
bool log_time();
void show_log_time();

/// Shows `line`, cut to the terminal's width, as its one live line below the log, in place of the
/// last one; an empty line removes it. Does nothing if `has_live_line` is false. Thread-safe.
void live_line(std::string_view line);

/// Whether `live_line` shows anything: stderr is a terminal, `info` is printed, and there is no
/// sink.
bool has_live_line();

/// Bytes a terminal may act on (C0, DEL, C1, invalid UTF-8) as \xNN; at most `limit` bytes of text.
std::string printable(std::string_view text, std::size_t limit = 200);

}  // namespace dragoman
