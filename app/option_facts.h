#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dragoman::app {

/// What an option of the command line takes, as its type and its checks describe it.
struct OptionFacts {
  enum class Kind { flag, whole_number, number, text };
  Kind kind = Kind::text;
  std::vector<std::string> choices;  ///< the words it chooses from; empty = others
  std::optional<double> low, high;   ///< of a number
  bool above = false;                ///< `low` itself is left out
  bool is_unsigned = false;          ///< of 64 bits without a sign

  bool is_number() const { return kind == Kind::whole_number || kind == Kind::number; }
  /// "1 to 24", "at least 1", "above 0"; empty where any number will do.
  std::string range() const;
};

OptionFacts facts_of(const CLI::Option& option);

/// "-m" and "--model" of one option.
std::vector<std::string> flags_of(const CLI::Option& option);

/// Whether several values may follow its name.
bool takes_several(const CLI::Option& option);

/// The word that stands for its value in the help: DIR, FILE, N; empty for a flag.
std::string value_name(const CLI::Option& option);

/// What the help calls an argument without flags: NAMES.
std::string argument_name(const CLI::Option& option);

/// The subcommands of `command` that a user names: not its groups of options.
std::vector<const CLI::App*> subcommands_of(const CLI::App& command);

/// Its groups of options.
std::vector<const CLI::App*> option_groups_of(const CLI::App& command);

/// Its options, those inside its groups included.
std::vector<const CLI::Option*> options_of(const CLI::App& command);

}  // namespace dragoman::app
