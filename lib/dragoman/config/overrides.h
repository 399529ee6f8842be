#pragma once

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace dragoman {

/// An option of the configuration that has a flag of its own on the command line.
struct OptionFlag {
  std::string flag;      ///< "--max-steps"
  std::string key;       ///< "train.max_steps"
  nlohmann::json value;  ///< of the option's own type
};

/// Settings of the command line, which change a configuration all at once.
struct Overrides {
  nlohmann::json values = nlohmann::json::object();    ///< a part of a configuration
  nlohmann::json settings = nlohmann::json::object();  ///< that of the settings, without flags
  std::map<std::string, std::string> places;           ///< key to what set it: "--set seed=1"

  /// What set the option that the message "KEY: ..." of a validation begins with; empty if nothing
  /// here did.
  std::string place_of(const std::string& message) const;
};

/// If `settings` ("train.max_steps=1000") repeats a key, the last one counts. Values are checked
/// for their type alone, as only the whole configuration can be validated.
/// \param option that gave the settings, for messages
/// \throws OptionsError for an unknown key, no value or a wrong one, and for an option that both a
///     setting and a flag set
Overrides read_overrides(const std::vector<std::string>& settings,
                         const std::vector<OptionFlag>& flags, const std::string& option = "--set");

/// Whether `settings` set the option, by its own key or within an object: "search={...}".
/// \param option that gave the settings, for messages
/// \throws OptionsError as `read_overrides` does
bool set_option(const std::vector<std::string>& settings, const std::string& key,
                const std::string& option = "--set");

/// \param option that gave the settings, for messages
/// \param also_model the attention of the model may be chosen, too
/// \throws OptionsError for a setting that does not belong to the translation by a trained model
void expect_search_keys(const std::vector<std::string>& settings, const std::string& option,
                        bool also_model);

}  // namespace dragoman
