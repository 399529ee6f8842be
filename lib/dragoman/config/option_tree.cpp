#include "dragoman/config/option_tree.h"

#include "dragoman/config/key_suggestion.h"
#include "dragoman/config/option_names.h"
#include "dragoman/config/run_options.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/immortal.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"

#include <algorithm>

namespace dragoman {

namespace {

using nlohmann::json;

/// The key of an option at a place: "/model/encoder_attention/0/kind" is an entry of the list
/// model.encoder_attention and has the key "model.encoder_attention.kind".
std::string key_at(const std::string& pointer) {
  std::string key;
  std::size_t begin = 1;
  while (begin <= pointer.size()) {
    const auto end = std::min(pointer.find('/', begin), pointer.size());
    const auto name = pointer.substr(begin, end - begin);
    const bool is_index = name.find_first_not_of("0123456789") == std::string::npos;
    if (!is_index && name != "heads") key += (key.empty() ? "" : ".") + name;
    begin = end + 1;
  }
  return key;
}

/// Whether an option that is an object may be a list of such objects, one for each layer.
bool may_be_list(const std::string& key) {
  return key == "model.encoder_attention" || key == "model.decoder_attention" ||
         key == "model.cross_attention";
}

/// 100000, and 1e5, which JSON reads as a number with a fraction.
bool is_whole(const json& given) {
  return given.is_number_float() ? is_exact_whole(given.get<double>()) : given.is_number_integer();
}

/// What an entry of the list at `pointer` looks like, which its default, an empty list, does not
/// show.
json default_entry(const std::string& pointer) {
  if (pointer.ends_with("/heads")) return HeadAttention{};
  if (pointer.ends_with("/global_positions") || pointer.ends_with("/global_tokens") ||
      pointer.ends_with("/pruned_heads"))
    return 0;
  if (pointer == "/data/weights") return 0.5;
  if (pointer == "/data/source_tag" || pointer == "/data/target_tag") return "de";
  return "a.txt";
}

/// What a list with such entries consists of, such as "texts".
const char* kind_of_entries(const json& entry) {
  if (entry.is_string()) return "texts";
  if (entry.is_number_float()) return "numbers";
  return entry.is_number() ? "whole numbers" : "objects";
}

/// Walks a configuration beside the defaults.
class Check {
 public:
  /// \param setting the pointer of the option that `place` names already; empty for a file
  explicit Check(const std::string& place, std::string setting = {})
      : place_(place), setting_(std::move(setting)) {}

  void object(const json& given, const json& known, const std::string& pointer) const {
    if (!given.is_object()) refuse(pointer, "expected an object such as {}", given);
    for (const auto& [key, value] : given.items()) {
      const std::string below = pointer + '/' + printable(key, 80);
      if (!known.contains(key)) refuse_key(below, known);
      any(value, known.at(key), below);
    }
  }

 private:
  void any(const json& given, const json& default_value, const std::string& pointer) const {
    if (default_value.is_object() && given.is_array() && may_be_list(key_at(pointer)))
      entries(given, default_value, pointer);
    else if (default_value.is_object())
      object(given, default_value, pointer);
    else
      leaf(given, default_value, pointer);
  }

  void leaf(const json& given, const json& default_value, const std::string& pointer) const {
    if (default_value.is_boolean() && !given.is_boolean())
      refuse(pointer, "expected true or false", given);
    if (default_value.is_number_integer() && !is_whole(given))
      refuse(pointer, concat("expected a whole number such as ", default_value.dump()), given);
    if (default_value.is_number_float() && !given.is_number())
      refuse(pointer, concat("expected a number such as ", default_value.dump()), given);
    if (default_value.is_array()) list(given, pointer);
    if (default_value.is_string()) text(given, pointer);
  }

  void list(const json& given, const std::string& pointer) const {
    const json default_value = default_entry(pointer);
    const auto fits = [&default_value](const json& item) {
      if (default_value.is_number_float()) return item.is_number();
      return default_value.is_number() ? is_whole(item) : item.type() == default_value.type();
    };
    const json example = json::array({default_value.is_object() ? json::object() : default_value});
    if (!given.is_array() || !std::all_of(given.begin(), given.end(), fits))
      refuse(pointer,
             concat("expected a list of ", kind_of_entries(default_value), " such as ",
                    example.dump()),
             given);
    if (default_value.is_object()) entries(given, default_value, pointer);
  }

  void entries(const json& given, const json& default_value, const std::string& pointer) const {
    for (std::size_t i = 0; i < given.size(); ++i)
      object(given[i], default_value, concat(pointer, '/', i));
  }

  void text(const json& given, const std::string& pointer) const {
    const auto key = key_at(pointer);
    const auto names = type_names(key);
    const auto expected = names.empty() ? "a string" : "one of " + joined(option_names(key));
    if (!given.is_string()) refuse(pointer, "expected " + expected, given);
    const auto found = std::find(names.begin(), names.end(), given.get_ref<const std::string&>());
    if (!names.empty() && found == names.end())
      refuse(pointer, "expected " + expected, given, remedy_for(key, given));
  }

  /// What to choose in place of a well-known value that there is not.
  static const char* remedy_for(const std::string& key, const json& given) {
    if (key != "train.precision" || (given != "float16" && given != "fp16")) return "";
    return "; float16 would need loss scaling: choose bf16, which has the range of float32";
  }

  [[noreturn]] void refuse(const std::string& pointer, const std::string& expected,
                           const json& given, const char* remedy = "") const {
    throw OptionsError(
        concat(place_, ": ", shown(pointer), expected, ", got ",
               printable(given.dump(-1, ' ', false, json::error_handler_t::replace), 80), remedy));
  }

  /// "/train/max_steps: " of a file, "train.max_steps: " inside a setting, nothing for itself.
  std::string shown(const std::string& pointer) const {
    if (pointer.empty() || pointer == setting_) return {};
    if (setting_.empty()) return pointer + ": ";
    std::string key = pointer.substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    return key + ": ";
  }

  /// "train.max_steps" in a file: {"train": {"max_steps": ...}}
  static std::string nested(const std::string& key) {
    std::string text = "...";
    for (auto at = key; !at.empty();) {
      const auto dot = at.rfind('.');
      const auto name = at.substr(dot + 1);
      text = "{\"" + name + "\": " + text + '}';
      at.resize(dot == std::string::npos ? 0 : dot);
    }
    return text;
  }

  [[noreturn]] void refuse_key(const std::string& pointer, const json& known) const {
    const auto fact = concat(place_, ": ", shown(pointer), "no such option; ");
    const auto key = pointer.substr(1);
    if (!key.empty() && default_at(key) != nullptr)
      throw OptionsError(concat(fact, "write it inside the object of its section: ", nested(key)));
    // Of a setting all of it, though its section may be unknown already.
    const auto& typed = setting_.size() > pointer.size() ? setting_ : pointer;
    const auto suggestion =
        key_suggestion(key_at(typed) + (typed.ends_with("/heads") ? ".heads" : ""));
    if (!suggestion.empty()) throw OptionsError(fact + suggestion);
    std::vector<std::string> keys;
    for (const auto& item : known.items()) keys.push_back(item.key());
    throw OptionsError(concat(fact, "known here: ", joined(keys),
                              "; 'dragoman info --options' describes them all"));
  }

  const std::string& place_;
  std::string setting_;
};

}  // namespace

const json& default_options() {
  static const auto& defaults = immortal(json(RunOptions{}));
  return defaults;
}

json::json_pointer option_pointer(std::string key) {
  std::replace(key.begin(), key.end(), '.', '/');
  return json::json_pointer('/' + key);
}

const json* default_at(std::string_view key) {
  const json* at = &default_options();
  while (at != nullptr && !key.empty()) {
    const auto dot = std::min(key.find('.'), key.size());
    const auto found = at->find(std::string(key.substr(0, dot)));  // the end, of what is no object
    at = found != at->end() ? &*found : nullptr;
    key.remove_prefix(std::min(dot + 1, key.size()));
  }
  return at;
}

std::vector<std::string> option_keys() {
  std::vector<std::string> keys;
  for (const auto& [key, value] : default_options().items()) {
    if (value.is_object())
      for (const auto& item : value.items()) keys.push_back(key + '.' + item.key());
    else
      keys.push_back(key);
  }
  return keys;
}

std::string option_type(const std::string& key) {
  const auto pointer = option_pointer(key);
  const json& default_value = default_options().at(pointer);
  if (default_value.is_boolean()) return "true or false";
  if (default_value.is_number_integer()) return "whole number";
  if (default_value.is_number()) return "number";
  if (default_value.is_array())
    return concat("list of ", kind_of_entries(default_entry(pointer.to_string())));
  const auto names = option_names(key);
  return names.empty() ? "text" : "one of " + joined(names);
}

void check_options(const json& given, const std::string& place) {
  Check(place).object(given, default_options(), "");
}

void check_setting(const json& given, const std::string& place, const std::string& pointer) {
  Check(place, pointer).object(given, default_options(), "");
}

void merge_options(json& options, const json& given) {
  if (!given.is_object()) {
    options = given;
  } else if (options.is_array()) {
    for (auto& of_layer : options) merge_options(of_layer, given);
  } else {
    if (!options.is_object()) options = json::object();
    for (const auto& [key, value] : given.items()) merge_options(options[key], value);
  }
}

}  // namespace dragoman
