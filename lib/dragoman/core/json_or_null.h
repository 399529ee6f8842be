#pragma once

#include <nlohmann/json.hpp>

#include <optional>

namespace dragoman {

/// The value, or null where there is none.
template <typename Value>
nlohmann::json json_or_null(const std::optional<Value>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace dragoman
