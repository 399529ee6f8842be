#include "help.h"

#include "dragoman/core/joined.h"
#include "dragoman/report/wrapped_text.h"
#include "help_sections.h"
#include "option_facts.h"
#include "suggestion.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

namespace dragoman::app {

namespace {

using OptionList = std::vector<const CLI::Option*>;

constexpr std::size_t name_column = 2;
constexpr std::size_t text_column = 28;
constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 unusable file or data, 2 wrong command line or configuration, "
    "70 internal error, 141 the reader of standard output or error closed it, 128 + N ended by "
    "signal N";

std::string entry(const std::string& name, const std::string& text) {
  const std::string start = std::string(name_column, ' ') + name;
  return start + wrapped(text, help_width(), text_column, start.size());
}

/// "-m, --model DIR", "--train-source FILE...", "SENTENCE". Of several long names the first is
/// shown; the others are those of other programs.
std::string signature(const CLI::Option& option) {
  if (flags_of(option).empty()) return argument_name(option) + (takes_several(option) ? "..." : "");
  std::string text = "    ";
  if (!option.get_snames().empty()) text = '-' + option.get_snames().front() + ", ";
  text += "--" + option.get_lnames().front();
  const auto value = value_name(option);
  if (value.empty()) return text;
  const bool may_lack = option.get_items_expected_min() == 0;
  return text + (may_lack ? " [" + value + ']' : ' ' + value) +
         (takes_several(option) ? "..." : "");
}

/// "NAME is one of a, b or c", unless the text names them.
std::string choices_text(const CLI::Option& option, const OptionFacts& facts) {
  const auto& text = option.get_description();
  const auto named = [&text](const std::string& word) {
    return text.find(word) != std::string::npos;
  };
  if (std::all_of(facts.choices.begin(), facts.choices.end(), named)) return {};
  return ": " + joined(facts.choices, ", ", " or ");
}

std::string default_text(const CLI::Option& option) {
  std::string value = option.get_default_str();
  if (value.empty() || option.get_description().find("default") != std::string::npos) return {};
  if (value.front() == '[') value = value.substr(1, value.size() - 2);
  return "default: " + value;
}

/// " (1 to 24; default: 6)"
std::string remarks(const CLI::Option& option, const OptionFacts& facts) {
  std::vector<std::string> all;
  if (facts.is_number() && facts.high) all.push_back(facts.range());
  if (const auto value = default_text(option); !value.empty()) all.push_back(value);
  for (const auto* other : option.get_needs()) {
    const auto flags = flags_of(*other);
    const auto named = [&option](const std::string& flag) {
      return option.get_description().find(flag) != std::string::npos;
    };
    if (!flags.empty() && std::none_of(flags.begin(), flags.end(), named))
      all.push_back("with " + flags.back());
  }
  std::string text;
  for (const auto& remark : all) text += (text.empty() ? " (" : "; ") + remark;
  return text.empty() ? text : text + ')';
}

std::string option_entry(const CLI::Option& option) {
  const auto facts = facts_of(option);
  return entry(signature(option),
               option.get_description() + choices_text(option, facts) + remarks(option, facts));
}

/// A title and the options under it; empty if there are none.
std::string section(const std::string& title, const OptionList& options) {
  if (options.empty()) return {};
  std::string text = '\n' + title + ":\n";
  for (const auto* option : options) text += option_entry(*option);
  return text;
}

bool is_hidden(const CLI::Option& option) { return option.get_group().empty(); }

bool is_choice(const CLI::App& group) { return group.get_require_option_min() == 1; }

class Help {
 public:
  explicit Help(const CLI::App& command) : command_(command) {
    for (const auto* option : command.get_options())
      if (!is_hidden(*option)) own_.push_back(option);
    for (const auto* group : option_groups_of(command)) {
      OptionList& taken = is_choice(*group) ? choice_ : own_;
      for (const auto* option : group->get_options())
        if (!is_hidden(*option) && !option->check_lname("help")) taken.push_back(option);
    }
    add_global_options();
  }

  std::string text() const {
    std::string all = wrapped(command_.get_description(), help_width(), 0) + '\n' + usage();
    all += commands() + section("Arguments", positionals()) + section("Required", required());
    all += section("Exactly one of", choice_);
    for (const auto& title : option_sections()) all += section(title, others(title));
    if (is_program()) all += '\n' + wrapped(command_.get_footer(), help_width(), 0);
    return all + '\n' + wrapped(exit_codes, help_width(), 0);
  }

 private:
  bool is_program() const { return command_.get_parent() == nullptr; }

  /// Options of the enclosing commands, which are accepted here too.
  void add_global_options() {
    for (const auto* outer = command_.get_parent(); outer != nullptr; outer = outer->get_parent())
      for (const auto* option : outer->get_options())
        if (!option->check_lname("help") && !option->check_lname("version")) own_.push_back(option);
  }

  static bool is_positional(const CLI::Option* option) { return flags_of(*option).empty(); }

  template <typename Condition>
  OptionList own_where(const Condition& condition) const {
    OptionList found;
    std::copy_if(own_.begin(), own_.end(), std::back_inserter(found), condition);
    return found;
  }

  OptionList positionals() const { return own_where(is_positional); }

  OptionList required() const {
    return own_where(
        [](const CLI::Option* option) { return option->get_required() && !is_positional(option); });
  }

  OptionList others(const std::string& title) const {
    return own_where([&title, this](const CLI::Option* option) {
      return !option->get_required() && !is_positional(option) &&
             section_of(*option, command_.get_name()) == title;
    });
  }

  std::string usage() const {
    std::string line = "Usage: " + full_name(command_);
    if (!subcommands_of(command_).empty()) line += " COMMAND";
    for (const auto* option : required())
      line += ' ' + flags_of(*option).front() + ' ' + value_name(*option);
    line += " [OPTIONS]";
    for (const auto* option : positionals()) {
      const auto name = signature(*option);
      line += option->get_required() ? ' ' + name : " [" + name + ']';
    }
    constexpr std::size_t indent = 7;  // after "Usage: "
    return wrapped(line, help_width(), indent).substr(indent);
  }

  /// With the first sentence of its description.
  static std::string command_entry(const CLI::App& command) {
    auto sentence = command.get_description();
    sentence.resize(std::min(sentence.find(". "), sentence.size()));
    if (sentence.ends_with('.')) sentence.pop_back();
    return entry(command.get_name(), sentence);
  }

  /// The subcommands, in the groups of the program or in their own order.
  std::string commands() const {
    const auto subcommands = subcommands_of(command_);
    if (subcommands.empty()) return {};
    if (is_program()) return grouped_commands(subcommands);
    std::string text = "\nCommands:\n";
    for (const auto* sub : subcommands) text += command_entry(*sub);
    return text;
  }

  static std::string grouped_commands(const std::vector<const CLI::App*>& subcommands) {
    std::string text;
    for (const auto& group : command_groups()) {
      text += '\n' + group.title + ":\n";
      for (const auto& name : group.names)
        for (const auto* sub : subcommands)
          if (sub->get_name() == name) text += command_entry(*sub);
    }
    return text;
  }

  const CLI::App& command_;
  OptionList own_, choice_;
};

class HelpFormatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* command, std::string /*name*/,
                        CLI::AppFormatMode /*mode*/) const override {
    return Help(*command).text();
  }
};

}  // namespace

std::size_t help_width() {
  constexpr std::size_t least = 60, default_columns = 80,
                        most = 100;  // longer lines are hard to read
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return default_columns;
  return std::clamp<std::size_t>(size.ws_col, least, most);
}

std::shared_ptr<CLI::FormatterBase> help_formatter() { return std::make_shared<HelpFormatter>(); }

}  // namespace dragoman::app
