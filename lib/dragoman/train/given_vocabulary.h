#pragma once

#include "dragoman/text/tokenizer.h"
#include "dragoman/train/train.h"

#include <optional>

namespace dragoman {

/// That of the tokenizers that a request names; none = it names none.
/// \throws as `Tokenizer::load` does
std::optional<Vocabulary> given_vocabulary(const TrainRequest& request);

/// The vocabulary that a new run is given: of the run it starts from, or from files; none = it
/// learns one from its text.
/// \throws as `load_vocabulary` and `Tokenizer::load` do; OptionsError if the languages of the text
///     or the model to be trained are not those of the run it starts from
std::optional<Vocabulary> known_vocabulary(const TrainRequest& request);

}  // namespace dragoman
