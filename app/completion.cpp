#include "completion.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/core/error.h"

#include <sstream>
#include <vector>

namespace dragoman::app {

namespace {

// `place` is the chain of subcommands so far; the word behind an option with a value (`valued`) is
// never taken for one. Bash splits words at '=' too, so that "--set model.norm=po" are four words.
constexpr const char* script_start = R"(# bash completion of dragoman
_dragoman_reply() {  # words to choose from
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}
_dragoman_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
_dragoman() {
  local current="${COMP_WORDS[COMP_CWORD]}" previous="" place="dragoman" key="" valued="" word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if [[ "$word" == "=" ]]; then key="$previous"; fi
    if [[ -n "$valued" ]]; then valued=""; else case "$place $word" in
@places@    esac; fi
    previous="$word"
  done
  if [[ "$current" == "=" ]]; then key="$previous"; current=""; previous="="; fi
  if [[ "$previous" == "=" ]]; then
    case "$key" in
@names@    esac
    case "$key" in
      -*) previous="$key" ;;
      *) return ;;
    esac
  fi
  case "$place $previous" in
@values@  esac
  case "$place" in
@words@  esac
}
complete -F _dragoman dragoman
)";

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// "-m" and "--model" of one option.
std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const auto& name : option.get_snames()) flags.push_back('-' + name);
  for (const auto& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

/// The words an option chooses from, as its check describes them: "TEXT:{tiny,small}", or with the
/// values they stand for, "ENUM:value in {bpe->1,unigram->0} OR {1,0}".
std::string choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {};
  std::vector<std::string> words;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');)
    words.push_back(word.substr(0, word.find("->")));
  return joined(words);
}

bool is_number(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto begins = [&type](const char* word) { return type.rfind(word, 0) == 0; };
  return begins("INT") || begins("UINT") || begins("FLOAT") || begins("POSITIVE") ||
         begins("NONNEGATIVE");
}

/// What is offered for the value of `option`, as a line of bash.
std::string value_action(const CLI::Option& option) {
  if (option.check_lname("set")) {
    std::vector<std::string> keys;
    for (const auto& key : option_keys()) keys.push_back(key + '=');
    return "compopt -o nospace 2>/dev/null; _dragoman_reply \"" + joined(keys) + '"';
  }
  const std::string choices = choices_of(option);
  if (!choices.empty()) return "_dragoman_reply \"" + choices + '"';
  return is_number(option) ? ":" : "_dragoman_files";
}

/// The parts of the script that depend on the application.
class Tables {
 public:
  explicit Tables(const CLI::App& root) {
    add(root, root.get_name(), {});
    for (const auto& key : option_keys()) {
      const auto choices = option_names(key);
      if (!choices.empty())
        names_ << "      " << key << ") _dragoman_reply \"" << joined(choices) << "\"; return ;;\n";
    }
  }

  std::string script() const {
    std::string text = script_start;
    fill(text, "@places@", places_.str());
    fill(text, "@names@", names_.str());
    fill(text, "@values@", values_.str());
    fill(text, "@words@", words_.str());
    return text;
  }

 private:
  using Options = std::vector<const CLI::Option*>;

  /// \param outer options with a value of the commands around this one, which it takes too
  void add(const CLI::App& command, const std::string& place, Options outer) {
    std::vector<std::string> words;
    bool takes_files = false;
    Options all = outer;
    for (const auto* option : command.get_options()) {
      all.push_back(option);
      if (option->get_items_expected_max() > 0) outer.push_back(option);
    }
    for (const auto* option : all) {
      add_option(*option, place);
      for (const auto& word : flags_of(*option)) words.push_back(word);
      if (!flags_of(*option).empty()) continue;
      const std::string choices = choices_of(*option);
      if (choices.empty()) takes_files = true;
      else words.push_back(choices);
    }
    for (const auto* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
      words.push_back(sub->get_name());
      const std::string below = place + ' ' + sub->get_name();
      places_ << "      \"" << below << "\") place=\"" << below << "\" ;;\n";
      add(*sub, below, outer);
    }
    words_ << "    \"" << place << "\") _dragoman_reply \"" << joined(words) << '"';
    if (takes_files) words_ << "; [[ \"$current\" == -* ]] || _dragoman_files";
    words_ << " ;;\n";
  }

  void add_option(const CLI::Option& option, const std::string& place) {
    if (option.get_items_expected_max() == 0 || flags_of(option).empty()) return;
    std::string patterns;
    for (const auto& flag : flags_of(option))
      patterns += (patterns.empty() ? "" : " | ") + ('"' + place + ' ' + flag + '"');
    values_ << "    " << patterns << ") " << value_action(option) << "; return ;;\n";
    places_ << "      " << patterns << ") valued=1 ;;\n";
  }

  static void fill(std::string& text, const std::string& mark, const std::string& content) {
    text.replace(text.find(mark), mark.size(), content);
  }

  std::ostringstream places_, names_, values_, words_;
};

}  // namespace

std::string bash_completion(const CLI::App& app) { return Tables(app).script(); }

}  // namespace dragoman::app
