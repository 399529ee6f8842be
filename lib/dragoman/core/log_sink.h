#pragma once

#include <functional>
#include <string_view>

namespace dragoman {

/// How much the log on stderr shows.
enum class LogLevel { error, warning, info, debug };

/// Sets what is printed from now on; at start `info`, in libdragoman.so `warning`.
void set_log_level(LogLevel level);
LogLevel log_level();

/// Takes each message whose level is printed, in place of stderr. Called by one thread at a time.
/// It may use the library, `set_log_sink` included, but must not throw.
using LogSink = std::function<void(LogLevel level, std::string_view message)>;

/// From now on, messages of the whole process go to `sink`; without one (the default) to stderr.
/// libdragoman.so and the static libraries of the modules have a log each. A plugin that is
/// unloaded takes its sink away first: `set_log_sink({})`. On return, no other thread is in the
/// former sink; so the caller must not hold a lock that the sink takes.
void set_log_sink(LogSink sink);

}  // namespace dragoman
