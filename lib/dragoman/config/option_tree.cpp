#include "dragoman/config/option_tree.h"

#include "dragoman/config/run_options.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <map>

namespace dragoman {

namespace {

using nlohmann::json;

/// All names of an enumeration, in its order: its JSON form gives the first name again for a
/// number past the last.
template <typename Enum>
std::vector<std::string> names_of() {
  std::vector<std::string> names;
  for (int number = 0;; ++number) {
    const auto name = json(static_cast<Enum>(number)).get<std::string>();
    if (!names.empty() && name == names.front()) return names;
    names.push_back(name);
  }
}

const std::map<std::string, std::vector<std::string>>& all_names() {
  static const std::map<std::string, std::vector<std::string>> names = {
      {"model.norm", names_of<NormPosition>()},
      {"model.activation", names_of<Activation>()},
      {"model.position", names_of<Position>()},
      {"model.share_embeddings", names_of<ShareEmbeddings>()},
      {"model.scale", names_of<AttentionScale>()},
      {"tokenizer.type", names_of<TokenizerType>()},
      {"train.early_stopping_metric", names_of<ValidationMetric>()},
      {"train.label_smoothing_kind", names_of<SmoothingKind>()},
      {"train.precision", names_of<Precision>()},
      {"train.schedule", names_of<Schedule>()},
      {"search.length_penalty_kind", names_of<LengthPenaltyKind>()},
  };
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// Walks a configuration beside the defaults.
class Check {
 public:
  explicit Check(const std::string& place) : place_(place) {}

  void object(const json& given, const json& known, const std::string& pointer) const {
    if (!given.is_object()) refuse(pointer, "expected an object such as {}", given);
    for (const auto& [key, value] : given.items()) {
      const std::string below = pointer + '/' + printable(key, 80);
      if (!known.contains(key)) refuse_key(below, known);
      const json& usual = known.at(key);
      usual.is_object() ? object(value, usual, below) : leaf(value, usual, below);
    }
  }

 private:
  void leaf(const json& given, const json& usual, const std::string& pointer) const {
    if (usual.is_boolean() && !given.is_boolean()) refuse(pointer, "expected true or false", given);
    if (usual.is_number_integer() && !given.is_number_integer())
      refuse(pointer, concat("expected a whole number such as ", usual.dump()), given);
    if (usual.is_number_float() && !given.is_number())
      refuse(pointer, concat("expected a number such as ", usual.dump()), given);
    if (usual.is_array())
      pointer == "/data/weights" ? numbers(given, pointer) : texts(given, pointer);
    if (usual.is_string()) text(given, pointer);
  }

  void texts(const json& given, const std::string& pointer) const {
    const auto is_text = [](const json& item) { return item.is_string(); };
    if (!given.is_array() || !std::all_of(given.begin(), given.end(), is_text))
      refuse(pointer, "expected a list of texts such as [\"a.txt\"]", given);
  }

  /// An empty default does not tell of what its list is.
  void numbers(const json& given, const std::string& pointer) const {
    const auto is_number = [](const json& item) { return item.is_number(); };
    if (!given.is_array() || !std::all_of(given.begin(), given.end(), is_number))
      refuse(pointer, "expected a list of numbers such as [1, 0.5]", given);
  }

  void text(const json& given, const std::string& pointer) const {
    std::string key = pointer.substr(1);
    std::replace(key.begin(), key.end(), '/', '.');
    const auto names = option_names(key);
    if (!given.is_string()) {
      refuse(pointer, names.empty() ? "expected a text" : "expected one of " + joined(names), given);
    }
    const auto found = std::find(names.begin(), names.end(), given.get_ref<const std::string&>());
    if (!names.empty() && found == names.end())
      refuse(pointer, "expected one of " + joined(names), given);
  }

  [[noreturn]] void refuse(const std::string& pointer, const std::string& expected,
                           const json& given) const {
    throw OptionsError(concat(place_, ": ", pointer, pointer.empty() ? "" : ": ", expected,
                              ", got ", printable(given.dump(), 80)));
  }

  [[noreturn]] void refuse_key(const std::string& pointer, const json& known) const {
    std::vector<std::string> keys;
    for (const auto& item : known.items()) keys.push_back(item.key());
    throw OptionsError(concat(place_, ": ", pointer, ": no such option; known: ", joined(keys)));
  }

  const std::string& place_;
};

}  // namespace

const json& default_options() {
  static const json defaults = RunOptions{};
  return defaults;
}

std::vector<std::string> option_keys() {
  std::vector<std::string> keys;
  for (const auto& [key, value] : default_options().items()) {
    if (!value.is_object()) keys.push_back(key);
    if (!value.is_object()) continue;
    for (const auto& item : value.items()) keys.push_back(key + '.' + item.key());
  }
  return keys;
}

std::vector<std::string> option_names(const std::string& key) {
  const auto found = all_names().find(key);
  return found == all_names().end() ? std::vector<std::string>{} : found->second;
}

void check_options(const json& given, const std::string& place) {
  Check(place).object(given, default_options(), "");
}

}  // namespace dragoman
