#pragma once

#include "dragoman/monolingual/monolingual_run.h"
#include "dragoman/train/trainer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// What a language model learns of texts: each text's pieces and EOS as targets, without a source. A
/// text longer than `max_length` pieces is cut into stretches that are read by themselves; empty
/// texts are left out.
std::vector<Example> language_examples(const std::vector<std::string>& texts, const Tokenizer& tokenizer,
                                       std::int64_t max_length);

/// Trains a `LanguageModel` on texts, one a line, into `request.run_dir`.
/// \throws OptionsError for a wrong configuration; DataError for unusable text; what `fit` throws
TrainingEnd train_language_model(const MonolingualRequest& request);

}  // namespace dragoman
