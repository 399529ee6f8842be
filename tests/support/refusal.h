#pragma once

#include "dragoman/core/error.h"

#include <functional>
#include <string>

namespace test {

/// What an action is refused with; empty if it is done.
inline std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const dragoman::Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace test
