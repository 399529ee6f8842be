#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/train/train.h"

#include <filesystem>
#include <optional>
#include <vector>

namespace dragoman {

/// The vocabulary of the tokenizers that a request names; none if it names none.
/// \throws as `Tokenizer::load` does
std::optional<Vocabulary> given_vocabulary(const TrainRequest& request);

/// The vocabulary that a new run is given: of the run it starts from, or from files; none = it
/// learns one from its text.
/// \throws as `load_vocabulary` and `Tokenizer::load` do; OptionsError if the languages of the text
///     or the model to be trained are not those of the run it starts from
std::optional<Vocabulary> known_vocabulary(const TrainRequest& request);

/// The vocabulary that a new run learns from its training files.
/// \throws DataError for unusable text; OptionsError if the vocabulary cannot be learned
Vocabulary learn_run_vocabulary(const RunOptions& options);

/// The same from a sample of these files.
Vocabulary learn_run_vocabulary(const RunOptions& options, const std::vector<LinePair>& sample);

/// The vocabulary that a run learns from its training files, kept in `data_dir`/vocabulary with
/// what it was learned from: a run that is killed before its first checkpoint does not learn it
/// again, nor does another one of the same text and options that shares the folder. The log warns
/// if it cannot be kept.
/// \throws as `learn_run_vocabulary` does
Vocabulary learned_vocabulary(const RunOptions& options, const TextIdentity& text,
                              const std::filesystem::path& data_dir);

/// Whether `learned_vocabulary` kept one in `data_dir`, of whatever text.
bool holds_learned_vocabulary(const std::filesystem::path& data_dir);

}  // namespace dragoman
