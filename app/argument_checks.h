#pragma once

#include <CLI/CLI.hpp>

#include <span>

namespace dragoman::app {

/// Checks the values of all options of `app` and its commands before they are read: messages show
/// numbers as typed and ranges in plain words, and an empty value is refused instead of being taken
/// for the default. To be called once all options have been added.
void check_arguments(CLI::App& app);

/// Checks what CLI11 would read otherwise than meant: an empty part of a list such as "bleu,ter",
/// which it skips, and "-m=RUN", for which it takes "=RUN".
/// \param words the command line without the program's name
/// \throws OptionsError naming the option and the value
void check_words(const CLI::App& app, std::span<char* const> words);

}  // namespace dragoman::app
