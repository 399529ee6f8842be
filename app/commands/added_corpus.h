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
  std::optional<std::string> source_tag = {};  ///< of its source, in place of a language
  std::optional<std::string> target_tag = {};  ///< of its target
  Languages languages = {};                    ///< by which it was translated; empty = not named
};

/// Adds its files, with a weight of 1 and tags: its own or, where the others have some, the
/// language that it was translated by or, if that is not named, the only one of theirs. Warns where
/// they have several, and it is not known which one it has.
/// \throws OptionsError if it is in a target language that is none of theirs, and has no tag of its
///     own
void add_corpus(DataOptions& data, const AddedCorpus& corpus);

}  // namespace dragoman::app
