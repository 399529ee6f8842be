#include "commands/language_options.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace dragoman::app {

std::vector<CLI::Option*> add_language_options(CLI::App& command, Languages& languages) {
  return {command
              .add_option("--to", languages.target,
                          "Target language of a multilingual model; 'dragoman info' lists them")
              ->type_name("NAME"),
          command.add_option("--from", languages.source, "Source language, if the model needs it")
              ->type_name("NAME")};
}

namespace {

/// As `with_languages`; messages begin with the option that named the language.
Vocabulary with_named_languages(const Vocabulary& vocabulary, const Languages& languages) {
  try {
    return with_languages(vocabulary, languages);
  } catch (const OptionsError& error) {
    const std::string message = error.what();
    for (const auto& [option, name] :
         {std::pair{"--to ", languages.target}, std::pair{"--from ", languages.source}})
      if (!name.empty() && message.starts_with(name + ": ")) throw OptionsError(option + message);
    throw;
  }
}

}  // namespace

void choose_languages(std::vector<RunFiles>& runs, const Languages& languages) {
  const auto& trained = runs.front().options.data.source_tag;
  const bool has_all = std::ranges::find(trained, std::string()) == trained.end();
  if (languages.source.empty() && !trained.empty() && has_all)
    log_warning(concat("the model was trained with the source language of each line; name it by ",
                       "--from: ", joined(std::set(trained.begin(), trained.end()), ", ", " or ")));
  for (auto& run : runs) run.vocabulary = with_named_languages(run.vocabulary, languages);
}

void choose_named_languages(Vocabulary& vocabulary, const Languages& languages) {
  if (!languages.source.empty() || !languages.target.empty())
    vocabulary = with_named_languages(vocabulary, languages);
}

}  // namespace dragoman::app
