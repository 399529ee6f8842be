#pragma once

#include "dragoman/config/option_range.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The description of one option of the configuration: the only place for its unit, its range and
/// its meaning. Type and default come from the option structs. `validate` of each struct, the error
/// messages and `dragoman info --options` read it.
struct OptionRow {
  std::string key;                   ///< "train.max_steps"
  std::string unit;                  ///< "updates"; empty for names, texts and switches
  std::optional<OptionRange> range;  ///< of a number, or of each number of a list
  std::string meaning;               ///< one sentence
  std::string remedy = "choose a value in that range";  ///< if a number is out of range
};

/// All options, section by section in the order of their structs, those below
/// model.encoder_attention, model.decoder_attention and model.cross_attention included.
const std::vector<OptionRow>& option_table();

/// The row of `key`; null if there is none.
const OptionRow* find_option(std::string_view key);

/// Refuses numbers of `values`, an object of options, that are out of their range.
/// \param section of the table, such as "train"; keys are SECTION.NAME
/// \param place stands for the section in messages, such as "model.encoder_attention[2]"
/// \throws OptionsError "PLACE.NAME: VALUE is outside RANGE; REMEDY"
void require_ranges(const nlohmann::json& values, const std::string& section,
                    const std::string& place);
inline void require_ranges(const nlohmann::json& values, const std::string& section) {
  require_ranges(values, section, section);
}

}  // namespace dragoman
