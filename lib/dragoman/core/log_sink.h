#pragma once

#include <functional>
#include <string_view>

namespace dragoman {

/// How much the log on stderr shows.
enum class LogLevel { error, warning, info, debug };

/// Sets what is printed from now on; at start `info`, in libdragoman.so `warning`.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Takes each message whose level is printed, in place of stderr. Called by one thread at a time;
/// it may log, too, but must not throw.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;

/// From now on, messages go to `sink`; without one (the default) to stderr.
void set_log_sink(LogSink sink);

}  // namespace dragoman
