#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/text/corpus.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Text and vocabulary of a training, ready for batches.
struct TrainingData {
  Vocabulary vocabulary;
  std::vector<Example> train = {};
  std::vector<Example> valid = {};
  std::vector<std::string> valid_source = {};  ///< lines, for translation
  std::vector<std::string> valid_target = {};
  nlohmann::json facts = {};  ///< SHA-256 of the text and the tokenizers, counts
};

/// Reads the text of `options.data`, takes `vocabulary` or learns one from the training text, and
/// encodes. What is left out is counted in the log.
/// \throws DataError for unusable text; OptionsError if the vocabulary cannot be learned
TrainingData prepare_data(const RunOptions& options, const std::optional<Vocabulary>& vocabulary);

}  // namespace dragoman
