#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/text/language_tags.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dragoman::app {

/// A corpus that is added to those of a configuration.
struct AddedCorpus {
  std::filesystem::path source, target;
  std::optional<std::string> tag = {};  ///< of its source, in place of a language
  Languages languages = {};             ///< by which it was translated; empty = not named
};

/// Adds its files, with a weight of 1 and tags where the others have some: its own, or the language
/// that it was translated by, if it is one of theirs, or the only one of theirs. Warns where they
/// have several, and it is not known which one it has.
void add_corpus(DataOptions& data, const AddedCorpus& corpus);

}  // namespace dragoman::app
