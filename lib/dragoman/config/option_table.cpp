#include "dragoman/config/option_table.h"

#include "dragoman/config/option_rows.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/immortal.h"

#include <map>

namespace dragoman {

namespace {

options::Rows all_rows() {
  using namespace options;
  Rows rows = {
      {"seed", "seed", OptionRange{0, 9223372036854775807.0},
       "Seed of the initial weights, the order of the data and dropout; the same seed gives "
       "the same training.",
       "choose 0 or more"}};
  for (auto& part :
       {model_rows(), attention_rows("model.encoder_attention"),
        attention_rows("model.decoder_attention"), attention_rows("model.cross_attention"),
        tokenizer_rows(), data_rows(), train_rows(), search_rows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

void require_number(const OptionRow& row, const nlohmann::json& value, const std::string& place) {
  if (!value.is_number() || row.range->contains(value.get<double>())) return;
  const std::string name = row.key.substr(row.key.rfind('.') + 1);
  // "2" for 2.0, but all digits of 0.9999999
  const auto shorter = concat(value.get<double>());
  const bool is_exact =
      value.is_number_float() && nlohmann::json::parse(shorter, nullptr, false) == value;
  const std::string number = is_exact ? shorter : value.dump();
  throw OptionsError(concat(place.empty() ? name : place + '.' + name, ": ", number, " is outside ",
                            row.range->text(), "; ", row.remedy));
}

}  // namespace

const std::vector<OptionRow>& option_table() {
  static const auto& rows = immortal(all_rows());
  return rows;
}

const OptionRow* find_option(std::string_view key) {
  static const auto& places = immortal([] {
    std::map<std::string, const OptionRow*, std::less<>> found;
    for (const auto& row : option_table()) found.emplace(row.key, &row);
    return found;
  }());
  const auto found = places.find(key);
  return found == places.end() ? nullptr : found->second;
}

void require_ranges(const nlohmann::json& values, const std::string& section,
                    const std::string& place) {
  for (const auto& [name, value] : values.items()) {
    const auto* row = find_option(section.empty() ? name : section + '.' + name);
    if (row == nullptr || !row->range) continue;
    if (!value.is_array()) require_number(*row, value, place);
    for (const auto& item : value.is_array() ? value : nlohmann::json::array())
      require_number(*row, item, place);
  }
}

}  // namespace dragoman
