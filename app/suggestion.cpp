#include "suggestion.h"

#include "dragoman/config/key_suggestion.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/nearest_word.h"
#include "foreign_options.h"
#include "option_facts.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>

namespace dragoman::app {

namespace {

using Words = std::vector<std::string>;

constexpr std::size_t shown_bytes = 80;

/// The options that `command` takes, its own and those of the commands around it: "--model".
Words flags_of_command(const CLI::App& command) {
  Words flags;
  for (const CLI::App* at = &command; at != nullptr; at = at->get_parent())
    for (const auto* option : options_of(*at))
      for (const auto& flag : flags_of(*option)) flags.push_back(flag);
  return flags;
}

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "--Beam_Size=4" as "beam-size".
std::string bare_name(const std::string& word) {
  std::string name = word.substr(0, word.find('='));
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    c = c == '_' ? '-' : static_cast<char>(std::tolower(byte));
  }
  return name;
}

bool is_given(const CLI::App& command, const char* flag) {
  const auto* option = command.get_option_no_throw(flag);
  return option != nullptr && option->count() > 0;
}

/// Whether --set may stand beside what is given.
bool takes_settings(const CLI::App& command) {
  const auto* set = command.get_option_no_throw("--set");
  if (set == nullptr) return false;
  const auto given = [](const CLI::Option* option) { return option->count() > 0; };
  return std::ranges::all_of(set->get_needs(), given) &&
         std::ranges::none_of(set->get_excludes(), given);
}

/// Whether a command has a use for `key`: one that looks for translations, and trains nothing, only
/// for those of the search.
bool has_use_for(const CLI::App& command, const std::string& key) {
  const auto flags = flags_of_command(command);
  const bool makes_model =
      (has(flags, "--config") || has(flags, "--preset")) && !is_given(command, "--model");
  return takes_settings(command) && (makes_model || key.starts_with("search."));
}

/// The first of `candidates` that the command takes: of "--set a.b=c" if it has a use for a.b.
std::string first_taken(const Words& candidates, const CLI::App& command) {
  const auto flags = flags_of_command(command);
  for (const auto& candidate : candidates) {
    const auto blank = candidate.find(' ');
    if (!has(flags, candidate.substr(0, blank))) continue;
    if (!candidate.starts_with("--set ") || has_use_for(command, candidate.substr(blank + 1)))
      return candidate;
  }
  return {};
}

/// Whether `key` ends in `name`: "train.max_epochs" in "max-epochs".
bool is_named(const std::string& key, std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return key == name || key.ends_with('.' + name);
}

/// "--set train.max_epochs=...", for an option that is one of the configuration.
/// \param condition of the key
template <typename Condition>
std::string setting_for(const std::string& name, const CLI::App& command,
                        const Condition& condition) {
  for (const auto& key : similar_keys(name))
    if (has_use_for(command, key) && condition(key)) return "--set " + key + "=...";
  return {};
}

std::string option_meant(const CLI::App& command, const std::string& word) {
  const auto flags = flags_of_command(command);
  const auto name = bare_name(word);
  if (has(flags, "--" + name)) return "--" + name;
  if (has(flags, "--preset") && has(flags, "--output")) {
    if (has({"resume", "auto-resume", "continue", "continue-from"}, name))
      return "--output RUN_DIR (resumes the run in it)";
    if (has({"overwrite", "overwrite-output-dir", "force", "no-resume"}, name))
      return "--output RUN_DIR (a new folder; a run in it would be resumed)";
  }
  if (const auto ours = first_taken(ours_for(name), command); !ours.empty()) return ours;
  const auto same = [&name](const std::string& key) { return is_named(key, name); };
  if (const auto setting = setting_for(name, command, same); !setting.empty()) return setting;
  Words long_flags = flags;
  std::erase_if(long_flags, [](const std::string& flag) { return flag.size() < 3; });
  if (const auto near = nearest_word("--" + name, long_flags); !near.empty()) return near;
  return setting_for(name, command, [](const std::string&) { return true; });
}

/// "; did you mean -i test.en?", for the name of a file or a run that stands where no option is.
std::string option_for(const CLI::App& command, const std::string& word) {
  std::error_code error;
  const bool is_run = std::filesystem::is_directory(word, error);
  if (!is_run && !std::filesystem::exists(word, error)) return {};
  const auto flag =
      first_taken(is_run ? Words{"--model"} : Words{"--input", "--hypothesis"}, command);
  if (flag.empty()) return {};
  if (is_given(command, flag.c_str())) {
    const bool is_list = command.get_option(flag)->get_items_expected_max() > 1;
    return is_list ? concat("; for another, repeat ", flag)
                   : concat("; ", flag, " is given already, and takes one value");
  }
  return concat("; did you mean ", flag, ' ', printable(word, shown_bytes), '?');
}

/// "tokenize train: ", nothing for the program itself.
std::string place_of(const CLI::App& command) {
  const auto name = full_name(command);
  const auto space = name.find(' ');
  return space == std::string::npos ? "" : name.substr(space + 1) + ": ";
}

std::string unknown_option(const CLI::App& command, const std::string& word) {
  const auto name = word.substr(0, word.find('='));
  if (has(flags_of_command(command), name))
    return concat(place_of(command), printable(name, shown_bytes),
                  " stands before the command; write it after its name");
  const auto meant = option_meant(command, word);
  return concat(place_of(command), "no option ", printable(name, shown_bytes),
                meant.empty() ? "" : "; did you mean " + meant + '?');
}

bool is_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

}  // namespace

const CLI::App& deepest_command(const CLI::App& app) {
  for (const auto* sub : app.get_subcommands())
    if (!sub->get_name().empty()) return deepest_command(*sub);
  return app;
}

std::string full_name(const CLI::App& command) {
  const auto* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + ' ' + command.get_name();
}

std::string no_such_command(const CLI::App& command, const std::string& name) {
  Words names;
  for (const auto* sub : subcommands_of(command)) names.push_back(sub->get_name());
  const auto near = nearest_word(name, names);
  return concat(place_of(command), "no command ", printable(name, shown_bytes),
                near.empty() ? "" : "; did you mean " + near + '?');
}

std::string unknown_word(const CLI::App& app) {
  const auto& command = deepest_command(app);
  const auto words = app.remaining(/*recurse=*/true);
  if (words.empty()) return {};
  if (!subcommands_of(command).empty() && !is_option(words.front()))
    return no_such_command(command, words.front());
  const auto option = std::find_if(words.begin(), words.end(), is_option);
  if (option != words.end()) return unknown_option(command, *option);
  return concat(place_of(command), "takes no argument ", printable(words.front(), shown_bytes),
                option_for(command, words.front()));
}

}  // namespace dragoman::app
