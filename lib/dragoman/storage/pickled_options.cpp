#include "dragoman/storage/pickled_options.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <cstddef>
#include <cstdint>

namespace dragoman {

namespace {

using Kind = PickleValue::Kind;

/// Turns values of a pickle into JSON. Values may refer to each other in circles, and one value may
/// be referred to many times, so depth and number are bounded.
class PickledOptions {
 public:
  PickledOptions(const Pickle& pickle, const std::string& place) : pickle_(pickle), place_(place) {}

  /// Those entries of the root, as far as it has them.
  nlohmann::json entries(std::initializer_list<std::string_view> keys) {
    auto found = nlohmann::json::object();
    const auto& items = pickle_[pickle_.root].items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2)
      for (const auto key : keys)
        if (pickle_[items[i]].kind == Kind::text && pickle_[items[i]].text == key)
          found[std::string(key)] = value(items[i + 1], 0);
    return found;
  }

 private:
  static constexpr int deepest = 16;
  static constexpr int most_values = 100000;
  static constexpr std::size_t most_bytes = std::size_t{16} << 20;  // of texts

  /// \throws FormatError
  void count(int depth) {
    if (depth > deepest || ++values_ > most_values)
      throw FormatError(concat(place_, ": has options that are too many or too deep to be read"));
  }

  /// \throws FormatError
  std::string text(std::string_view value) {
    bytes_ += value.size();
    if (bytes_ > most_bytes) throw FormatError(concat(place_, ": has options that are too long"));
    return std::string(value);
  }

  nlohmann::json value(std::uint32_t index, int depth) {
    count(depth);
    const auto& value = pickle_[index];
    switch (value.kind) {
      case Kind::boolean: return value.number != 0;
      case Kind::integer: return value.number;
      case Kind::real: return value.real;
      case Kind::text: return text(value.text);
      case Kind::tuple:
      case Kind::list: return array(value, depth);
      case Kind::dict:
      case Kind::object: return object(value, depth);
      default: return nullptr;
    }
  }

  nlohmann::json array(const PickleValue& list, int depth) {
    auto found = nlohmann::json::array();
    for (const auto item : list.items) found.push_back(value(item, depth + 1));
    return found;
  }

  nlohmann::json object(const PickleValue& dict, int depth) {
    auto found = nlohmann::json::object();
    for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2)
      if (const auto& key = pickle_[dict.items[i]]; key.kind == Kind::text)
        found[text(key.text)] = value(dict.items[i + 1], depth + 1);
    return found;
  }

  const Pickle& pickle_;
  const std::string& place_;
  int values_ = 0;
  std::size_t bytes_ = 0;  ///< of texts
};

}  // namespace

nlohmann::json pickled_entries(const Pickle& pickle, std::initializer_list<std::string_view> keys,
                               const std::string& place) {
  return PickledOptions(pickle, place).entries(keys);
}

}  // namespace dragoman
