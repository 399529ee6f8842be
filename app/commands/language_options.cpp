#include "commands/language_options.h"

#include "dragoman/core/concat.h"
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

const LanguageGivers language_options{.source = "--from", .target = "--to"};

}  // namespace

void choose_languages(std::vector<RunFiles>& runs, const Languages& languages) {
  const auto& trained = runs.front().options.data.source_tag;
  const bool has_all = std::ranges::find(trained, std::string()) == trained.end();
  if (languages.source.empty() && !trained.empty() && has_all)
    log_warning(concat("the model was trained with the source language of each line; name it by ",
                       "--from: ", joined(std::set(trained.begin(), trained.end()), ", ", " or ")));
  for (auto& run : runs)
    run.vocabulary = with_languages(run.vocabulary, languages, language_options);
}

void choose_named_languages(Vocabulary& vocabulary, const Languages& languages) {
  if (!languages.source.empty() || !languages.target.empty())
    vocabulary = with_languages(vocabulary, languages, language_options);
}

}  // namespace dragoman::app
