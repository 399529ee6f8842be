#include "commands/info_options.h"

#include "dragoman/config/key_suggestion.h"
#include "dragoman/config/option_names.h"
#include "dragoman/config/option_table.h"
#include "dragoman/config/option_tree.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/report/wrapped_text.h"
#include "help.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <limits>
#include <vector>

namespace dragoman::app {

namespace {

using nlohmann::json;
using OptionRows = std::vector<const OptionRow*>;

constexpr std::size_t list_indent = 4;

json default_of(const std::string& key) { return default_options().at(option_pointer(key)); }

OptionRows chosen(const std::string& filter) {
  OptionRows rows;
  for (const auto& row : option_table())
    if (row.key.find(filter) != std::string::npos) rows.push_back(&row);
  if (!rows.empty()) return rows;
  const auto near = key_suggestion(filter);
  throw OptionsError(concat("info --options ", printable(filter, 80),
                            ": no option has this in its name; ",
                            near.empty() ? "leave it out to list all" : near));
}

/// "whole number (updates), 1 to 1e12; default: 100000"
std::string facts_text(const OptionRow& row) {
  std::string text = option_type(row.key);
  if (!row.unit.empty()) text += " (" + row.unit + ")";
  if (row.range) text += ", " + row.range->text();
  const json value = default_of(row.key);
  const bool empty = (value.is_string() && value.get<std::string>().empty()) ||
                     (value.is_array() && value.empty());
  return text + "; default: " +
         (empty               ? "none"
          : value.is_string() ? value.get<std::string>()
                              : value.dump());
}

/// "model.encoder_attention" of "model.encoder_attention.radius".
std::string section_of(const std::string& key) {
  const auto dot = key.rfind('.');
  return dot == std::string::npos ? "" : key.substr(0, dot);
}

void write_text(const OptionRows& rows) {
  std::string section = "none yet";
  for (const auto* row : rows) {
    if (section_of(row->key) != section) {
      if (row != rows.front()) std::cout << '\n';
      section = section_of(row->key);
      if (!section.empty()) std::cout << section << '\n';
    }
    std::cout << "  " << row->key << '\n'
              << wrapped(facts_text(*row), help_width(), list_indent)
              << wrapped(row->meaning, help_width(), list_indent);
  }
}

/// A bound of an option, as a number of its type.
nlohmann::ordered_json bound(double value, bool is_whole) {
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();  // which a double rounds up
  if (!is_whole) return value;
  return value < static_cast<double>(largest) ? static_cast<std::int64_t>(value) : largest;
}

void write_json(const OptionRows& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const auto* row : rows) {
    nlohmann::ordered_json entry = {{"key", row->key}, {"type", option_type(row->key)}};
    if (!row->unit.empty()) entry["unit"] = row->unit;
    if (row->range) {
      entry["range"] = row->range->text();
      const bool is_whole = default_of(row->key).is_number_integer();
      const auto& range = *row->range;
      entry[range.above ? "exclusive_minimum" : "minimum"] = bound(range.low, is_whole);
      entry[range.below ? "exclusive_maximum" : "maximum"] = bound(range.high, is_whole);
      if (range.or_else) entry["or"] = bound(*range.or_else, is_whole);
    }
    if (const auto names = option_names(row->key); !names.empty()) entry["names"] = names;
    entry["default"] = default_of(row->key);
    entry["meaning"] = row->meaning;
    list.push_back(std::move(entry));
  }
  std::cout << list.dump(2) << '\n';
}

}  // namespace

void write_option_list(const std::string& filter, bool as_json) {
  const auto rows = chosen(filter);
  if (as_json)
    write_json(rows);
  else
    write_text(rows);
}

}  // namespace dragoman::app
