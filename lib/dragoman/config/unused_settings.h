#pragma once

#include "dragoman/config/overrides.h"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// Which settings of `overrides` have no effect, since another option excludes them: "--set
/// search.top_k=5: search.top_k has no effect unless search.sample is true". A value that is the
/// default is never among them; the commands themselves refuse such flags.
/// \param options the whole configuration
std::vector<std::string> unused_settings(const nlohmann::json& options, const Overrides& overrides);

/// Whether an option has any effect beside the others.
/// \param options the whole configuration
/// \param key such as "train.cutoff"
bool is_read(const nlohmann::json& options, const std::string& key);

/// Whether an option has another value now, and any effect before or now.
/// \param before, now whole configurations
bool has_changed(const nlohmann::json& before, const nlohmann::json& now, const std::string& key);

}  // namespace dragoman
