#pragma once

#include "dragoman/train/text_training.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// The training examples of a text: its pieces and EOS as targets, without a source. A text
/// longer than `max_length` pieces, EOS not counted, is cut into chunks that are read
/// independently; an empty text has none.
std::vector<Example> language_examples(const std::string& text, const Tokenizer& tokenizer,
                                       std::int64_t max_length);

/// Trains a `LanguageModel` on texts, one per line, into `request.run_dir`.
/// \throws OptionsError for a wrong configuration; DataError for unusable text; what
///     `train_text_model` throws
TrainingEnd train_language_model(const TextTrainRequest& request);

}  // namespace dragoman
