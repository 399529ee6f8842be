#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The names of the presets, smallest first: tiny, small, base, big.
std::vector<std::string> preset_names();

/// The preset as a configuration's text: what differs from the defaults, which is the size of the
/// model, when training ends, and how often it validates and saves.
/// \throws OptionsError for an unknown name.
std::string_view preset_text(std::string_view name);

}  // namespace dragoman
