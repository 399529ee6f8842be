#include "argument_checks.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/nearest_word.h"
#include "dragoman/core/quantity.h"
#include "option_facts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace dragoman::app {

namespace {

constexpr std::size_t shown_value_bytes = 80;

std::string quoted(const std::string& text) {
  return '"' + printable(text, shown_value_bytes) + '"';
}

/// \param names_range whether the option's range says what is wrong
std::string range_fault(const std::string& text, const OptionFacts& facts,
                        bool names_range = true) {
  const std::string range = names_range ? facts.range() : "";
  return printable(text, shown_value_bytes) + (range.empty()
                                                   ? " is out of range; choose a smaller number"
                                                   : " is outside the range: " + range);
}

template <typename Number>
std::string number_fault(const std::string& text, const OptionFacts& facts, const char* kind) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  if (read.ec == std::errc::result_out_of_range && read.ptr == end)
    return range_fault(text, facts, /*names_range=*/facts.high || text.front() == '-');
  const auto as_double = static_cast<double>(value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(as_double))
    return concat("expected ", kind, ", got ", quoted(text));
  const bool too_small =
      facts.low && (facts.above ? as_double <= *facts.low : as_double < *facts.low);
  const bool too_large = facts.high && as_double > *facts.high;
  return too_small || too_large ? range_fault(text, facts) : "";
}

/// 1e6 as 1000000; other texts as they are.
std::string plain_whole_number(const std::string& text) {
  if (text.find_first_of("eE.") == std::string::npos) return text;
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool is_whole = read.ec == std::errc{} && read.ptr == end && is_exact_whole(value);
  return is_whole ? std::to_string(static_cast<std::int64_t>(value)) : text;
}

std::string choice_fault(const std::string& text, const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
  auto lower = text;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto near = nearest_word(lower, choices);
  return concat(quoted(text), " is not one of ", joined(choices),
                near.empty() ? "" : "; did you mean " + near + '?');
}

std::string fault_of(const std::string& text, const OptionFacts& facts) {
  if (text.empty()) return "has an empty value; give one, or leave the option out";
  if (!facts.choices.empty()) return choice_fault(text, facts.choices);
  if (facts.is_unsigned && text.front() != '-')
    return number_fault<std::uint64_t>(text, facts, "a whole number");
  if (facts.kind == OptionFacts::Kind::whole_number)
    return number_fault<std::int64_t>(text, facts, "a whole number");
  if (facts.kind == OptionFacts::Kind::number) return number_fault<double>(text, facts, "a number");
  return {};
}

/// A blank sentence is a text like any other, and back-translation may leave its tag out.
bool may_be_empty(const CLI::Option& option) {
  return flags_of(option).empty() || option.get_type_name() == "SENTENCE" ||
         option.get_type_name() == "TAG";
}

void check_option(CLI::Option& option) {
  const auto facts = facts_of(option);
  if (facts.kind == OptionFacts::Kind::flag) return;
  const bool free_text = facts.kind == OptionFacts::Kind::text && facts.choices.empty();
  if (free_text && may_be_empty(option)) return;
  // Transforms run before all checks.
  option.transform(CLI::Validator(
      [facts](std::string& text) {
        if (facts.kind == OptionFacts::Kind::whole_number) text = plain_whole_number(text);
        return fault_of(text, facts);
      },
      ""));
}

const CLI::App* subcommand_named(const CLI::App& app, const std::string& name) {
  const auto found =
      app.get_subcommands([&](const CLI::App* part) { return part->get_name() == name; });
  return found.empty() ? nullptr : found.front();
}

void expect_no_empty_part(const std::string& option, const std::string& value, char delimiter) {
  const std::string twice(2, delimiter);
  if (value.empty() || (value.front() != delimiter && value.back() != delimiter &&
                        value.find(twice) == std::string::npos))
    return;
  throw OptionsError(concat(option, ": ", quoted(value),
                            " has an empty part; write values with one ",
                            quoted(std::string(1, delimiter)), " between two of them"));
}

/// CLI11 would take the = for a part of the value.
void expect_no_short_equals(const CLI::App& command, const std::string& word) {
  if (word.size() < 3 || word[1] == '-' || word[2] != '=') return;
  const auto* option = command.get_option_no_throw(word.substr(0, 2));
  if (option == nullptr) return;
  const bool takes_value = option->get_items_expected_max() > 0;
  throw OptionsError(concat(
      printable(word, shown_value_bytes), ": a short option takes no =; write ", word.substr(0, 2),
      takes_value ? " " : "", takes_value ? printable(word.substr(3), shown_value_bytes) : ""));
}

}  // namespace

void check_arguments(CLI::App& app) {
  for (auto* option : app.get_options([](CLI::Option*) { return true; })) check_option(*option);
  for (auto* part : app.get_subcommands([](CLI::App*) { return true; })) check_arguments(*part);
}

void check_words(const CLI::App& app, std::span<char* const> words) {
  const auto* command = &app;
  const CLI::Option* list = nullptr;  // that the next words are values of
  bool is_value = false;              // the next word, of an option that is no list
  for (const std::string word : words) {
    if (word == "--") return;  // no options follow
    if (word.starts_with('-')) {
      if (!is_value) expect_no_short_equals(*command, word);
      const auto end = std::min(word.find('='), word.size());
      list = command->get_option_no_throw(word.substr(0, end));
      is_value = list != nullptr && end == word.size() && list->get_items_expected_max() > 0;
      if (list != nullptr && list->get_delimiter() == '\0') list = nullptr;
      if (list != nullptr && end < word.size())
        expect_no_empty_part(list->get_name(), word.substr(end + 1), list->get_delimiter());
    } else if (list != nullptr) {
      expect_no_empty_part(list->get_name(), word, list->get_delimiter());
    } else if (std::exchange(is_value, false)) {
      continue;
    } else if (const auto* inner = subcommand_named(*command, word)) {
      command = inner;
    }
  }
}

}  // namespace dragoman::app
