#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/corpus/token_store.h"
#include "dragoman/data/epoch_plan.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// The validation text of a training, in memory; empty without one.
struct ValidationText {
  std::vector<Example> examples = {};
  std::vector<std::string> source = {};  ///< lines, for translation
  std::vector<std::string> target = {};
  /// That of the training, whose source side names the languages of this text, if all training
  /// files agree in them. None without a text.
  std::optional<Vocabulary> vocabulary = {};
  std::string sha256 = {};
};

/// Text and vocabulary of a training, ready for batching.
struct TrainingData {
  Vocabulary vocabulary;
  TokenStore train;
  std::vector<CorpusShare> shares = {};  ///< the weights of the parts of `train`, if there are any
  ValidationText valid = {};
  nlohmann::json facts = {};  ///< SHA-256 of the text and the tokenizers, counts
};

/// A warning if the model translates into several languages, and neither `data.target_tag` nor the
/// training text's first line names one. \throws DataError if the text cannot be read
std::optional<std::string> missing_target_tags(const DataOptions& data,
                                               const Vocabulary& vocabulary);

/// To be called before the work that may take an hour: learning pieces, encoding the training text.
/// \throws DataError if a file of the validation text cannot be read, or is a pipe, which the
///     training that resumes cannot read again
void expect_validation_text(const DataOptions& data);

/// Opens or builds the training text's token store in `folder` (see `open_training_store`).
/// Validation text is encoded in memory. Skipped pairs are counted in the log.
/// \param text the result of `identify_text` for the training files
/// \throws DataError for unusable text
TrainingData prepare_data(const RunOptions& options, const Vocabulary& vocabulary,
                          const TextIdentity& text, const std::filesystem::path& folder);

}  // namespace dragoman
