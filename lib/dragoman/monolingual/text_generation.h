#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/monolingual/loaded_language_model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A text that a language model has gone on with.
struct GeneratedText {
  std::string text;       ///< the beginning it was given included
  double log_prob = 0.0;  ///< nats, of all its pieces and EOS
  bool finished = false;  ///< false: stopped by the length limit
};

/// Goes on with each of `beginnings`, which may be empty.
/// \param search greedy, sample or beam as with translations; `max_length` counts the pieces of the
///     whole text, 0 = those of the beginning and `max_length_offset`
/// \param seed of samples: text i draws the same whatever stands beside it
/// \return for each beginning at most `search.n_best` texts
/// \throws OptionsError as `search.validate()`; DataError for a beginning as long as the limit
std::vector<std::vector<GeneratedText>> generate_texts(const LoadedLanguageModel& loaded,
                                                       std::span<const std::string> beginnings,
                                                       const SearchOptions& search, std::int64_t seed);

}  // namespace dragoman
