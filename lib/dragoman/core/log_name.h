#pragma once

#include <string>

namespace dragoman {

/// Puts "name: " in front of each message of the log from now on: which of several processes it is
/// from.
void set_log_name(const std::string& name);

}  // namespace dragoman
