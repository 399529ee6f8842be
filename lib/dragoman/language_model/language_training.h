#pragma once

#include "dragoman/train/monolingual_run.h"
#include "dragoman/train/trainer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// The training examples of a language model: each text's pieces and EOS as targets, without a
/// source. A text longer than `max_length` pieces is cut into chunks that are read independently;
/// empty texts are skipped.
std::vector<Example> language_examples(const std::vector<std::string>& texts,
                                       const Tokenizer& tokenizer, std::int64_t max_length);

/// Trains a `LanguageModel` on texts, one per line, into `request.run_dir`.
/// \throws OptionsError for a wrong configuration; DataError for unusable text; what `fit` throws
TrainingEnd train_language_model(const MonolingualRequest& request);

}  // namespace dragoman
