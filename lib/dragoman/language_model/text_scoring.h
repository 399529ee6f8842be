#pragma once

#include "dragoman/language_model/loaded_language_model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The score of a text under a language model.
struct TextScore {
  double log_prob = 0.0;       ///< nats, of all pieces and EOS
  std::int64_t tokens = 0;     ///< pieces and EOS
  std::int64_t predicted = 0;  ///< of these, those that were the model's top prediction
  bool divided = false;        ///< longer than `data.max_length`: read in chunks
};

/// What a text without pieces is.
enum class BlankText {
  nothing,  ///< no tokens, and a log-probability of 0
  eos       ///< EOS alone: the model is asked how probable it is that nothing is said
};

/// How texts are scored.
struct TextScoringOptions {
  std::int64_t batch_tokens = 2048;  ///< padded positions per batch
  BlankText blank = BlankText::nothing;
};

/// In the order of the texts; computed in batches of similar length. A text longer than
/// `data.max_length` pieces is read in chunks, as by `language_examples`.
std::vector<TextScore> score_texts(const LoadedLanguageModel& loaded,
                                   std::span<const std::string> texts,
                                   const TextScoringOptions& options = {});

/// exp of the mean loss per token. \param scores with at least one token in total
double perplexity_of(std::span<const TextScore> scores);

}  // namespace dragoman
