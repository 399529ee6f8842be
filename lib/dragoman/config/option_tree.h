#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Every option with its default, as JSON: what a configuration is compared with.
const nlohmann::json& default_options();

/// Where the option `key` is in a configuration: "train.batch_tokens" is at /train/batch_tokens.
nlohmann::json::json_pointer option_pointer(std::string key);

/// The default at a key of any form; null if the options have none there.
const nlohmann::json* default_at(std::string_view key);

/// Each option's key ("train.batch_tokens") in alphabetical order.
std::vector<std::string> option_keys();

/// What the option `key`, of `option_table`, holds: "whole number", "number", "true or false",
/// "one of post, pre", "text", "list of texts".
std::string option_type(const std::string& key);

/// Refuses in `given`, a part of a configuration, unknown keys, wrong types, numbers with a
/// fraction where whole ones are needed, and names that are no value of their option.
/// \param place names the configuration in messages.
/// \throws OptionsError "PLACE: /pointer: fact; remedy"
void check_options(const nlohmann::json& given, const std::string& place);

/// The same for `given` made from one setting of the command line, which names the option at
/// `pointer` itself.
/// \throws OptionsError "PLACE: fact; remedy", or "PLACE: key: fact; remedy" for one inside
void check_setting(const nlohmann::json& given, const std::string& place,
                   const std::string& pointer);

/// Changes `options` by what `given` names. An attention of each layer (a list) takes what is given
/// for all (an object) layer by layer.
void merge_options(nlohmann::json& options, const nlohmann::json& given);

}  // namespace dragoman
