#pragma once

#include <nlohmann/json.hpp>

#include <functional>

namespace dragoman {

/// What `measure` returns in a copy of this process, whose environment and one-time choices do not
/// affect this one. No other thread of this process may be running.
/// \throws InternalError if the copy cannot be started; as `measure` does: InternalError, or a
///     DataError for all that a user can mend; DataError if the copy is killed
nlohmann::json measure_in_child(const std::function<nlohmann::json()>& measure);

}  // namespace dragoman
