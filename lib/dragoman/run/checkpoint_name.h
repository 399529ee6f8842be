#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dragoman {

/// "step-00001200": eight digits or more, so that names sort by step.
std::string checkpoint_name(std::int64_t step);

/// The step of "step-00001200"; no value for any other name.
std::optional<std::int64_t> step_of_checkpoint(std::string_view name);

/// "step-00001200" for "step-1200"; any other name as it is.
std::string with_all_digits(std::string name);

/// Whether a file of that name in a run folder is a best-METRIC, which names a checkpoint.
bool is_best_hint(std::string_view name);

}  // namespace dragoman
