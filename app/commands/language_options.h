#pragma once

#include "dragoman/run/run_files.h"
#include "dragoman/text/language_tags.h"

#include <CLI/CLI.hpp>

#include <vector>

namespace dragoman::app {

/// Adds --from and --to, the languages of a model of several.
std::vector<CLI::Option*> add_language_options(CLI::App& command, Languages& languages);

/// Makes the runs' texts begin with the languages.
/// \throws as `with_languages`
void choose_languages(std::vector<RunFiles>& runs, const Languages& languages);

/// The same for a command that may need no text: only if a language is named.
void choose_named_languages(Vocabulary& vocabulary, const Languages& languages);

}  // namespace dragoman::app
