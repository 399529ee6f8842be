#pragma once

#include "dragoman/monolingual/loaded_language_model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// What a language model thinks of a text.
struct TextScore {
  double log_prob = 0.0;      ///< nats, of all pieces and EOS
  std::int64_t tokens = 0;    ///< pieces and EOS
  std::int64_t foretold = 0;  ///< of these, those that were the model's first choice
};

/// In the order of the texts; in batches of like length. A text longer than `data.max_length` pieces is
/// read in the stretches of training.
/// \param batch_tokens padded places of one batch
std::vector<TextScore> score_texts(const LoadedLanguageModel& loaded, std::span<const std::string> texts,
                                   std::int64_t batch_tokens = 2048);

/// exp of the mean loss of a token. \param scores with at least one token in all
double perplexity_of(std::span<const TextScore> scores);

}  // namespace dragoman
