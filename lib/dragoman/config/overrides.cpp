#include "dragoman/config/overrides.h"

#include "dragoman/config/option_tree.h"
#include "dragoman/config/strict_json.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace dragoman {

namespace {

using nlohmann::json;

/// Whether an option named `key` holds the one named `part`, or is the same.
bool covers(const std::string& key, const std::string& part) {
  if (!part.starts_with(key)) return false;
  return part.size() == key.size() || part[key.size()] == '.' || part[key.size()] == '[';
}

/// `value` at `key`, inside the objects that lead there.
json at_key(const std::string& key, json value) {
  for (auto at = option_pointer(key); !at.empty(); at.pop_back())
    value = json{{at.back(), std::move(value)}};
  return value;
}

/// The value of a setting: JSON, or a bare word, which is a text or wrong.
json setting_value(const std::string& text, const json& default_value, const std::string& place) {
  if (text.empty())
    throw OptionsError(concat(place, ": has no value; ",
                              default_value.is_string()
                                  ? "write \"\" for an empty text"
                                  : "write one after the =, or leave the setting out"));
  constexpr std::string_view json_starts = "{[\"";
  const bool structured = json_starts.find(text.front()) != std::string_view::npos;
  if (default_value.is_string() && text.front() != '"') return text;
  if (structured) return parse_strict_json(text, place);
  try {
    return parse_strict_json(text, place);
  } catch (const OptionsError& error) {
    if (std::string_view(error.what()).find(" does not fit ") != std::string_view::npos) throw;
    return text;  // refused for its type, which says what is expected
  }
}

struct Setting {
  std::string key, place;
  json values;
};

/// The options within `values`, which is that of `key`: itself unless it is an object that names
/// others.
void add_option_keys(const std::string& key, const json& values, std::vector<std::string>& keys) {
  if (!values.is_object() || values.empty()) return keys.push_back(key);
  for (const auto& [name, value] : values.items())
    add_option_keys(concat(key, '.', name), value, keys);
}

std::vector<std::string> option_keys(const Setting& setting) {
  std::vector<std::string> keys;
  add_option_keys(setting.key, setting.values.at(option_pointer(setting.key)), keys);
  return keys;
}

Setting parse_setting(const std::string& text, const std::string& option) {
  const std::string place = option + ' ' + printable(text, 80);
  const auto equals = text.find('=');
  if (equals == 0) throw OptionsError(place + ": has no option before the =; write KEY=VALUE");
  if (equals == std::string::npos)
    throw OptionsError(concat(place, ": has no value; write it as ",
                              printable(text.substr(0, text.find_first_of(" :")), 60), "=VALUE"));
  const std::string key = text.substr(0, equals);
  if (key.find(' ') != std::string::npos)
    throw OptionsError(place + ": has a blank before the =; write KEY=VALUE without blanks");
  if (key.find_first_of("/~") != std::string::npos)
    throw OptionsError(place + ": no such option; write the key as search.beam_size");
  const auto pointer = option_pointer(key);
  const auto* known = default_at(key);
  const json default_value = known != nullptr ? *known : json();
  json value = default_value.is_null()
                   ? json()
                   : setting_value(text.substr(equals + 1), default_value, place);
  json values = at_key(key, std::move(value));
  check_setting(values, place, pointer.to_string());
  return {key, place, std::move(values)};
}

}  // namespace

std::string Overrides::place_of(const std::string& message) const {
  const std::string key = message.substr(0, message.find(':'));
  for (const auto& [set, place] : places)
    if (covers(set, key)) return place;
  return {};
}

std::string Overrides::places_in(const std::string& message) const {
  const auto names = [&message](const std::string& key) {
    for (auto at = message.find(key); at != std::string::npos; at = message.find(key, at + 1)) {
      const auto next = message.substr(at + key.size(), 1);
      if (next.empty() || (std::isalnum(static_cast<unsigned char>(next[0])) == 0 && next != "_"))
        return true;
    }
    return false;
  };
  const auto group_of = [](const std::string& key) {
    return key.substr(0, key.find_first_of(".:"));
  };
  std::set<std::string> named, related;
  for (const auto& [key, place] : places) {
    if (names(key)) named.insert(place);
    if (group_of(key) == group_of(message)) related.insert(place);
  }
  return joined(named.empty() ? related : named);
}

bool set_option(const std::vector<std::string>& settings, const std::string& key,
                const std::string& option) {
  return read_overrides(settings, {}, option).settings.contains(option_pointer(key));
}

Overrides read_overrides(const std::vector<std::string>& settings,
                         const std::vector<OptionFlag>& flags, const std::string& option) {
  Overrides all;
  std::vector<Setting> given;
  for (const auto& text : settings) {
    const auto& setting = given.emplace_back(parse_setting(text, option));
    merge_options(all.settings, setting.values);
    for (const auto& key : option_keys(setting)) all.places[key] = setting.place;
  }
  all.values = all.settings;
  for (const auto& flag : flags) {
    const auto pointer = option_pointer(flag.key);
    for (const auto& setting : given)
      if (setting.values.contains(pointer))
        throw OptionsError(concat(flag.flag, ": sets ", flag.key, ", which ", setting.place,
                                  " sets too; leave one of them out"));
    const auto values = at_key(flag.key, flag.value);
    check_setting(values, flag.flag, pointer.to_string());
    merge_options(all.values, values);
    all.places[flag.key] = flag.flag;
  }
  return all;
}

void expect_settings_of(const std::vector<std::string>& groups,
                        const std::vector<std::string>& settings, const std::string& fault,
                        const std::string& option) {
  const auto is_taken = [&groups](const std::string& key) {
    return std::ranges::any_of(groups, [&key](const auto& group) { return covers(group, key); });
  };
  for (const auto& [key, place] : read_overrides(settings, {}, option).places)
    if (!is_taken(key)) throw OptionsError(concat(option, ' ', key, ": ", fault));
}

void expect_search_settings(const std::vector<std::string>& settings, const std::string& option,
                            bool also_model) {
  std::vector<std::string> groups = {"search", "seed", "data.max_length"};
  if (also_model) groups.push_back("model");
  expect_settings_of(groups, settings, "changes no translation; give search.KEY=VALUE", option);
}

}  // namespace dragoman
