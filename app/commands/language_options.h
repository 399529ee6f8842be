#pragma once

#include "dragoman/run/run_files.h"
#include "dragoman/text/language_tags.h"

#include <CLI/CLI.hpp>

#include <vector>

namespace dragoman::app {

/// Adds --from and --to, the languages of a model of several.
std::vector<CLI::Option*> add_language_options(CLI::App& command, Languages& languages);

/// Makes the runs' texts begin with the tags of the languages.
/// \throws OptionsError if a model does not have one of them
void choose_languages(std::vector<RunFiles>& runs, const Languages& languages);

}  // namespace dragoman::app
