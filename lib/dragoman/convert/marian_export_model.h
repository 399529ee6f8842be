#pragma once

#include "dragoman/run/loaded_run.h"

#include <string>

namespace dragoman {

/// The bytes of a model.npz: parameters under Marian's names, and its options as
/// `special:model.yml`. \throws OptionsError naming the option of the model that Marian does not
/// have
std::string marian_npz(const LoadedRun& run);

}  // namespace dragoman
