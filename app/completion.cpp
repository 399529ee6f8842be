#include "completion.h"

#include "completion_scripts.h"
#include "dragoman/config/option_names.h"
#include "dragoman/config/option_table.h"
#include "dragoman/core/joined.h"
#include "option_facts.h"

#include <sstream>
#include <vector>

namespace dragoman::app {

namespace {

bool is_file(const CLI::Option& option) {
  const auto name = value_name(option);
  return name == "FILE" || name == "DIR" || name == "PATH";
}

/// The configuration's keys of a section ("search."; "" = all), as --set and --search take them.
std::string settings(const std::string& section = "") {
  std::vector<std::string> keys;
  for (const auto& row : option_table())
    if (row.key.starts_with(section)) keys.push_back(row.key + '=');
  return joined(keys, " ");
}

/// The function that offers the keys which the value of `option` begins with; empty = none does.
std::string key_function(const CLI::Option& option) {
  if (option.check_lname("set")) return "_dragoman_settings";
  return option.check_lname("search") ? "_dragoman_search" : "";
}

/// What is offered for the value of `option`, as a line of bash or zsh.
std::string value_action(const CLI::Option& option) {
  if (const auto keys = key_function(option); !keys.empty()) return keys;
  const auto choices = facts_of(option).choices;
  if (!choices.empty()) return "_dragoman_reply \"" + joined(choices, " ") + '"';
  return is_file(option) ? "_dragoman_files" : ":";
}

/// The same as arguments of fish's `complete`.
std::string fish_action(const CLI::Option& option) {
  if (const auto keys = key_function(option); !keys.empty()) return "-x -a '(_" + keys + ")'";
  const auto facts = facts_of(option);
  if (facts.kind == OptionFacts::Kind::flag) return "";
  if (!facts.choices.empty()) return "-x -a '" + joined(facts.choices, " ") + '\'';
  return is_file(option) ? "-r -F" : "-x";
}

/// The same for further values of an option that takes several; empty = nothing is offered.
std::string fish_list_action(const std::string& action) {
  if (action == "-r -F") return "-F";
  return action == "-x" ? "" : "-f" + action.substr(2);  // in place of "-x"
}

/// In single quotes of fish.
std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text)
    out += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return out + '\'';
}

/// The parts of the scripts that depend on the application.
class Tables {
 public:
  explicit Tables(const CLI::App& root) : root_(root) {
    add(root, root.get_name(), {});
    for (const auto& row : option_table()) {
      const auto choices = option_names(row.key);
      if (choices.empty()) continue;
      const auto names = joined(choices, " ");
      names_ << "      " << row.key << ") _dragoman_reply \"" << names << "\"; return ;;\n";
      fish_names_ << "        case " << row.key << "\n            set names " << names << '\n';
    }
  }

  std::string script(std::string text) const {
    fill_keys(text);
    fill(text, "@places@", places_.str());
    fill(text, "@names@", names_.str());
    fill(text, "@values@", values_.str());
    fill(text, "@words@", words_.str());
    return text;
  }

  std::string fish() const {
    std::string text = fish_script;
    fill_keys(text);
    fill(text, "@places@", fish_places_.str());
    fill(text, "@names@", fish_names_.str());
    fill(text, "@lines@", fish_lines_.str());
    return text;
  }

 private:
  using Options = std::vector<const CLI::Option*>;

  /// The flags of options at a place, as the patterns of a case.
  struct Patterns {
    std::string shell, fish;

    Patterns(const std::string& place, const Options& options) {
      for (const auto* option : options)
        for (const auto& flag : flags_of(*option)) {
          shell += (shell.empty() ? "\"" : " | \"") + place + ' ' + flag + '"';
          fish += " '" + place + ' ' + flag + '\'';
        }
    }
  };

  /// \param outer options with a value of the commands around this one, which it takes too
  void add(const CLI::App& command, const std::string& place, Options outer) {
    std::vector<std::string> words;
    bool takes_files = false;
    Options all = outer;
    for (const auto* option : options_of(command)) {
      all.push_back(option);
      if (!option->check_lname("help") && !option->check_lname("version")) outer.push_back(option);
    }
    Options single, several;  // values
    for (const auto* option : all) {
      add_option(*option, place);
      if (option->get_items_expected_max() > 0)
        (takes_several(*option) ? several : single).push_back(option);
      for (const auto& word : flags_of(*option)) words.push_back(word);
      if (option->get_positional()) add_argument(*option, place, words, takes_files);
    }
    add_valued(Patterns(place, single), "");
    add_valued(Patterns(place, several), "list");
    for (const auto* sub : subcommands_of(command)) {
      words.push_back(sub->get_name());
      add_command(*sub, place, outer);
    }
    words_ << "    \"" << place << "\") _dragoman_reply \"" << joined(words, " ") << '"';
    if (takes_files) words_ << "; [[ \"$current\" == -* ]] || _dragoman_files";
    words_ << " ;;\n";
  }

  /// \param list the variable for an option that further values may follow; "" = none may
  void add_valued(const Patterns& patterns, const std::string& list) {
    if (patterns.shell.empty()) return;
    places_ << "        " << patterns.shell << ") valued=1"
            << (list.empty() ? "" : ' ' + list + "=\"$word\"") << " ;;\n";
    fish_places_ << "            case" << patterns.fish << "\n                set valued 1\n";
    if (!list.empty()) fish_places_ << "                set " << list << " $word\n";
  }

  void add_command(const CLI::App& sub, const std::string& place, const Options& outer) {
    const std::string below = place + ' ' + sub.get_name();
    places_ << "        \"" << below << "\") place=\"" << below << "\" list=\"\" ;;\n";
    fish_places_ << "            case '" << below << "'\n                set place '" << below
                 << "'\n                set list \"\"\n";
    fish_line(place) << "-a " << sub.get_name() << " -d " << fish_quoted(sub.get_description())
                     << '\n';
    add(sub, below, outer);
  }

  /// An argument without a name: one of several words, or a file.
  void add_argument(const CLI::Option& option, const std::string& place,
                    std::vector<std::string>& words, bool& takes_files) {
    auto choices = facts_of(option).choices;
    if (place == root_.get_name() + " help")
      for (const auto* sub : subcommands_of(root_)) choices.push_back(sub->get_name());
    words.insert(words.end(), choices.begin(), choices.end());
    if (choices.empty() && !is_file(option)) return;
    takes_files |= choices.empty();
    fish_line(place) << (choices.empty() ? "-F" : "-a '" + joined(choices, " ") + '\'') << '\n';
  }

  void add_option(const CLI::Option& option, const std::string& place) {
    if (flags_of(option).empty()) return;
    auto& line = fish_line(place);
    for (const auto& name : option.get_snames()) line << "-s " << name << ' ';
    for (const auto& name : option.get_lnames()) line << "-l " << name << ' ';
    const auto action = fish_action(option);
    line << action << " -d " << fish_quoted(option.get_description()) << '\n';
    if (option.get_items_expected_max() == 0) return;
    values_ << "    " << Patterns(place, {&option}).shell << ") " << value_action(option)
            << "; return ;;\n";
    const auto list_action = takes_several(option) ? fish_list_action(action) : "";
    if (list_action.empty()) return;
    fish_lines_ << "__dragoman_add_list '" << joined(flags_of(option), " ") << "' " << list_action
                << '\n';
  }

  std::ostream& fish_line(const std::string& place) {
    if (place != fish_place_) fish_lines_ << "set -g __dragoman_place '" << place << "'\n";
    fish_place_ = place;
    return fish_lines_ << "__dragoman_add ";
  }

  static void fill_keys(std::string& text) {
    fill(text, "@settings@", settings());
    fill(text, "@search@", settings("search."));
  }

  static void fill(std::string& text, const std::string& mark, const std::string& content) {
    text.replace(text.find(mark), mark.size(), content);
  }

  const CLI::App& root_;
  std::string fish_place_;  ///< of the last line
  std::ostringstream places_, names_, values_, words_, fish_places_, fish_lines_, fish_names_;
};

}  // namespace

std::vector<std::string> completion_shells() { return {"bash", "zsh", "fish"}; }

std::string completion_script(const CLI::App& app, const std::string& shell) {
  const Tables tables(app);
  if (shell == "fish") return tables.fish();
  return tables.script(shell == "zsh" ? zsh_script : bash_script);
}

}  // namespace dragoman::app
