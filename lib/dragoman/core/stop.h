#pragma once

#include "dragoman/core/error.h"

#include <stop_token>

namespace dragoman {

/// \throws Cancelled if `stop` asks for the end
inline void expect_no_stop(const std::stop_token& stop) {
  if (stop.stop_requested()) throw Cancelled("cancelled by the caller");
}

}  // namespace dragoman
