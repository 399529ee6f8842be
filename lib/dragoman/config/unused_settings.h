#pragma once

#include "dragoman/config/overrides.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// Which settings of `overrides` have no effect, since another option of `options`, the whole configuration,
/// excludes it: "--set search.top_k=5: has no effect unless search.sample is true". A value that is
/// the default is never among them; the commands themselves refuse such flags.
std::vector<std::string> unused_settings(const nlohmann::json& options, const Overrides& overrides);

}  // namespace dragoman
