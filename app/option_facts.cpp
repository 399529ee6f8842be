#include "option_facts.h"

#include <cctype>
#include <map>
#include <set>
#include <sstream>

namespace dragoman::app {

namespace {

/// The words in "TEXT:{tiny,small}", or with what they stand for, "ENUM:value in
/// {bpe->1,unigram->0}".
std::vector<std::string> choices_in(const std::string& type) {
  const auto open = type.find('{');
  const auto close = type.find('}', open);
  std::vector<std::string> words;
  if (open == std::string::npos || close == std::string::npos) return words;
  std::istringstream list(type.substr(open + 1, close - open - 1));
  for (std::string word; std::getline(list, word, ',');)
    words.push_back(word.substr(0, word.find("->")));
  return words;
}

/// From "INT:INT in [1 - 24]", "INT:POSITIVE", "FLOAT:POSITIVE".
void read_range(const std::string& type, OptionFacts& facts) {
  const auto open = type.find("in [");
  const auto dash = type.find(" - ", open);
  if (open != std::string::npos && dash != std::string::npos) {
    facts.low = std::stod(type.substr(open + 4));
    facts.high = std::stod(type.substr(dash + 3));
  } else if (type.find("NONNEGATIVE") != std::string::npos) {
    facts.low = 0.0;
  } else if (type.find("POSITIVE") != std::string::npos) {
    facts.low = facts.kind == OptionFacts::Kind::whole_number ? 1.0 : 0.0;
    facts.above = facts.kind == OptionFacts::Kind::number;
  }
}

std::string number_text(double number) {
  std::ostringstream text;
  text.precision(12);
  text << number;
  return text.str();
}

/// The name that a declaration gives to the value itself, as in `type_name("SENTENCE")`.
std::string own_value_name(const std::string& type) {
  const std::string name = type.substr(0, type.find(':'));
  static const std::set<std::string> of_parser = {"TEXT", "INT",     "UINT", "FLOAT",
                                                  "ENUM", "BOOLEAN", ""};
  return of_parser.count(name) > 0 || name.find(' ') != std::string::npos ? "" : name;
}

/// What the values of options without choices are called; the same option is the same everywhere.
const std::map<std::string, std::string>& value_names() {
  static const std::map<std::string, std::string> names = {
      {"model", "DIR"},          {"output", "PATH"},
      {"start-from", "DIR"},     {"init-from", "DIR"},
      {"data-cache", "DIR"},     {"definitions", "DIR"},
      {"report", "DIR"},         {"config", "FILE"},
      {"input", "FILE"},         {"source", "FILE"},
      {"target", "FILE"},        {"reference", "FILE"},
      {"hypothesis", "FILE"},    {"against", "FILE"},
      {"train-source", "FILE"},  {"train-target", "FILE"},
      {"valid-source", "FILE"},  {"valid-target", "FILE"},
      {"test-source", "FILE"},   {"test-target", "FILE"},
      {"tokenizer", "FILE"},     {"target-tokenizer", "FILE"},
      {"target-prefix", "FILE"}, {"target-file", "FILE"},
      {"text", "FILE"},          {"labels", "FILE"},
      {"valid-text", "FILE"},    {"valid-labels", "FILE"},
      {"gold", "FILE"},          {"word-pairs", "FILE"},
      {"contrasts", "FILE"},     {"plot", "FILE"},
      {"dump-config", "FILE"},   {"set", "KEY=VALUE"},
      {"checkpoint", "NAME"},    {"checkpoints", "NAME"},
      {"device", "DEVICE"},      {"heads", "PLACE"},
      {"metrics", "NAME"},       {"tokenize", "NAME"},
      {"smooth", "NAME"},        {"paired", "NAME"},
      {"compare", "DIR"},        {"compare-checkpoint", "NAME"},
      {"note", "TEXT"},          {"max-time", "TIME"},
      {"options", "WORD"},       {"shortlist", "FILE"},
      {"rerank-reverse", "DIR"}, {"rerank-lm", "DIR"},
      {"monolingual", "FILE"},   {"translate-device", "DEVICE"},
      {"search", "KEY=VALUE"},   {"kept", "FILE"}};
  return names;
}

}  // namespace

std::string OptionFacts::range() const {
  if (low && high) return number_text(*low) + " to " + number_text(*high);
  if (low) return (above ? "above " : "at least ") + number_text(*low);
  return {};
}

OptionFacts facts_of(const CLI::Option& option) {
  OptionFacts facts;
  if (option.get_items_expected_max() == 0) {
    facts.kind = OptionFacts::Kind::flag;
    return facts;
  }
  const std::string type = option.get_type_name();
  facts.choices = choices_in(type);
  const auto begins = [&type](const char* word) { return type.rfind(word, 0) == 0; };
  if (begins("INT") || begins("UINT"))
    facts.kind = OptionFacts::Kind::whole_number;
  else if (begins("FLOAT"))
    facts.kind = OptionFacts::Kind::number;
  facts.is_unsigned = begins("UINT");
  if (facts.is_unsigned) facts.low = 0.0;
  if (facts.is_number()) read_range(type, facts);
  return facts;
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const auto& name : option.get_snames()) flags.push_back('-' + name);
  for (const auto& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

bool takes_several(const CLI::Option& option) {
  return option.get_items_expected_max() > 1 && option.get_allow_extra_args();
}

std::string value_name(const CLI::Option& option) {
  const auto facts = facts_of(option);
  if (facts.kind == OptionFacts::Kind::flag) return {};
  if (facts.kind == OptionFacts::Kind::whole_number) return "N";
  if (facts.kind == OptionFacts::Kind::number) return "X";
  if (!facts.choices.empty()) return "NAME";
  if (const auto own = own_value_name(option.get_type_name()); !own.empty()) return own;
  for (const auto& name : option.get_lnames()) {
    const auto found = value_names().find(name);
    if (found != value_names().end()) return found->second;
  }
  return "TEXT";
}

std::string argument_name(const CLI::Option& option) {
  std::string name = option.get_name(true);
  for (char& c : name) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

namespace {

/// Groups of options have no name.
template <typename Condition>
std::vector<const CLI::App*> parts_of(const CLI::App& command, const Condition& condition) {
  std::vector<const CLI::App*> found;
  for (const auto* part : command.get_subcommands([](const CLI::App*) { return true; }))
    if (condition(part)) found.push_back(part);
  return found;
}

}  // namespace

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return parts_of(command, [](const CLI::App* part) { return !part->get_name().empty(); });
}

std::vector<const CLI::App*> option_groups_of(const CLI::App& command) {
  return parts_of(command, [](const CLI::App* part) { return part->get_name().empty(); });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> all;
  for (const auto* option : command.get_options()) all.push_back(option);
  for (const auto* group : option_groups_of(command))
    for (const auto* option : group->get_options())
      if (!option->check_lname("help")) all.push_back(option);  // each group has one of its own
  return all;
}

}  // namespace dragoman::app
