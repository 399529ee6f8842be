#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace dragoman {

/// Every option with its default, as JSON: what a configuration is compared with.
const nlohmann::json& default_options();

/// Each option's key ("train.batch_tokens") in the order of the alphabet.
std::vector<std::string> option_keys();

/// The names that the option `key` ("model.norm") may have; empty if it is not one of names.
std::vector<std::string> option_names(const std::string& key);

/// Refuses in `given`, a part of a configuration, unknown keys, wrong types, numbers with a
/// fraction where whole ones are needed, and names that are no value of their option.
/// \param place names the configuration in messages.
/// \throws OptionsError "PLACE: /pointer: fact; remedy"
void check_options(const nlohmann::json& given, const std::string& place);

}  // namespace dragoman
