#pragma once

#include "dragoman/run_page/run_history.h"

#include <span>
#include <string>

namespace dragoman {

/// How each run translated the sentences of its validation text that its log has: those that
/// several have together. Empty if there are none.
std::string validation_samples(std::span<const RunHistory> runs);

}  // namespace dragoman
