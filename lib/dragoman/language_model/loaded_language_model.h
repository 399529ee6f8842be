#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/model/language_model.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// A trained language model with everything needed to use it.
struct LoadedLanguageModel {
  RunOptions options;
  LanguageModel model{nullptr};  ///< on the CPU, in evaluation mode
  Tokenizer tokenizer;
};

/// \param run_dir a folder written by 'dragoman lm train', or one of its checkpoints
/// \param overrides of options that do not depend on the weights: "search.no_repeat_ngram=3"
/// \throws DataError, FormatError, OptionsError as `open_run` does
LoadedLanguageModel load_language_model(const std::filesystem::path& run_dir,
                                        const std::string& checkpoint = "",
                                        const std::vector<std::string>& overrides = {});

}  // namespace dragoman
