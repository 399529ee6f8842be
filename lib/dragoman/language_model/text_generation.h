#pragma once

#include "dragoman/config/search_options.h"
#include "dragoman/language_model/loaded_language_model.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// A text continued by a language model.
struct GeneratedText {
  std::string text;       ///< including the given prompt
  double log_prob = 0.0;  ///< nats, of all its pieces and EOS
  bool finished = false;  ///< false: stopped by the length limit
};

/// Continues each of `prompts`, which may be empty.
/// \param search greedy, sample or beam as for translation; `max_length` counts the pieces of the
///     whole text, 0 = those of the prompt plus `max_length_offset`
/// \param seed of samples: text i draws the same regardless of the other texts
/// \param place of the prompts, for messages
/// \param before number of prompts of the same text that other calls continue first
/// \return for each prompt at most `search.n_best` texts
/// \throws OptionsError as `search.validate()`; DataError for a prompt as long as the limit
std::vector<std::vector<GeneratedText>> generate_texts(const LoadedLanguageModel& loaded,
                                                       std::span<const std::string> prompts,
                                                       const SearchOptions& search,
                                                       std::int64_t seed,
                                                       std::string_view place = "prompts",
                                                       std::size_t before = 0);

}  // namespace dragoman
