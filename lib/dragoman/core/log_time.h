#pragma once

namespace dragoman {

/// Whether each line of the log begins with the local time of day, "14:03:27"; not at start.
void set_log_time(bool shown);
bool log_time();

}  // namespace dragoman
