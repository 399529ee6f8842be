#include "dragoman/config/presets.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <array>

namespace dragoman {

namespace {

struct Preset {
  std::string_view name;
  std::string_view text;
};

// The models base and big are rows of table 3 of the paper (big with the dropout of English-German)
// and train for as many updates; tiny and small are this project's, for small texts and for
// processors without a GPU. All stop early if a validation text is given. Besides the models,
// presets differ from the defaults in limits and intervals only.
constexpr std::array presets = {
    Preset{"tiny", R"({"model": {"encoder_layers": 4, "decoder_layers": 4, "d_model": 128,
                                 "d_ff": 256, "num_heads": 4},
                       "train": {"max_steps": 20000, "patience": 6,
                                 "validate_every": 500, "checkpoint_every": 500}})"},
    Preset{"small", R"({"model": {"encoder_layers": 4, "decoder_layers": 4, "d_model": 256,
                                  "d_ff": 1024, "num_heads": 4},
                        "train": {"max_steps": 15000, "patience": 6,
                                  "validate_every": 500, "checkpoint_every": 500}})"},
    Preset{"base", R"({"train": {"patience": 10, "validate_every": 1000,
                                 "checkpoint_every": 1000}})"},
    Preset{"big", R"({"model": {"d_model": 1024, "d_ff": 4096, "num_heads": 16, "dropout": 0.3},
                      "train": {"max_steps": 300000, "patience": 10, "validate_every": 1000,
                                "checkpoint_every": 1000}})"},
};

}  // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const auto& preset : presets) names.emplace_back(preset.name);
  return names;
}

std::string_view preset_text(std::string_view name) {
  for (const auto& preset : presets)
    if (preset.name == name) return preset.text;
  throw OptionsError(
      concat("preset ", printable(name, 80), ": no such preset; choose tiny, small, base or big"));
}

}  // namespace dragoman
