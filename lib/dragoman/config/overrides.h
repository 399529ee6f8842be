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
  /// Key to what set it, also within an object: "search.beam_size" to "--set search={...}".
  std::map<std::string, std::string> places;

  /// What set the option that the message "KEY: ..." of a validation begins with; empty if nothing
  /// here did.
  std::string place_of(const std::string& message) const;

  /// What set the options that a message names, or if it names none of these, what set options of
  /// the group that it begins with: "--max-steps, --set train.average=9"; empty if nothing did.
  std::string places_in(const std::string& message) const;
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

/// \param groups or single options that a command takes: "model", "tokenizer.vocab_size"
/// \param fault of the others, and what to give: "changes no translation; give search.KEY=VALUE"
/// \param option that gave the settings, for messages
/// \throws OptionsError for a setting outside these groups, also one within an object
void expect_settings_of(const std::vector<std::string>& groups,
                        const std::vector<std::string>& settings, const std::string& fault,
                        const std::string& option = "--set");

/// `expect_settings_of` for a translation by a trained model.
/// \param also_model the attention of the model may be chosen, too
void expect_search_settings(const std::vector<std::string>& settings, const std::string& option,
                            bool also_model);

}  // namespace dragoman
