#include "commands/language_options.h"

namespace dragoman::app {

std::vector<CLI::Option*> add_language_options(CLI::App& command, Languages& languages) {
  return {command
              .add_option("--to", languages.target,
                          "Target language of a multilingual model; 'dragoman info' lists them")
              ->type_name("NAME"),
          command.add_option("--from", languages.source, "Source language, if the model needs it")
              ->type_name("NAME")};
}

void choose_languages(std::vector<RunFiles>& runs, const Languages& languages) {
  for (auto& run : runs) run.vocabulary = with_languages(run.vocabulary, languages);
}

void choose_named_languages(Vocabulary& vocabulary, const Languages& languages) {
  if (!languages.source.empty() || !languages.target.empty())
    vocabulary = with_languages(vocabulary, languages);
}

}  // namespace dragoman::app
