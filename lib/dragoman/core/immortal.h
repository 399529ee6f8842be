#pragma once

#include <utility>

namespace dragoman {

/// An object that is never destroyed, for tables that are made once: a host may still call the
/// library from threads and exit handlers that outlive `main`.
///
///     static const auto& names = immortal(all_names());
template <typename Value>
Value& immortal(Value value) {
  return *new Value(std::move(value));
}

}  // namespace dragoman
