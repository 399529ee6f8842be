#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/text/example.h"
#include "dragoman/translate/line_translator.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// Speed and memory of a search.
struct TranslationBenchmark {
  std::int64_t sentences = 0;  ///< of one pass over the text
  std::int64_t passes = 0;
  double seconds = 0.0;
  double sentences_per_second = 0.0;
  double target_tokens_per_second = 0.0;  ///< of the best hypotheses; with the EOS of each line
  double load_seconds = 0.0;              ///< from the disk until the first line; 0 for new weights
  std::int64_t peak_memory_mb = 0;
  std::int64_t beam_size = 0;  ///< 1 for greedy search and sampling
  std::string search = {};     ///< "beam 4", "greedy" or "sampling"

  std::string text() const;
  nlohmann::json json() const;
};

/// Translates `lines` repeatedly until `seconds` have passed, after one warm-up pass.
/// \param search of the translator
/// \param load_seconds that it took to load the translator
TranslationBenchmark benchmark_translation(const LineTranslator& translator,
                                           const SearchOptions& search,
                                           const std::vector<std::string>& lines,
                                           double load_seconds, double seconds);

/// The same with new weights, whose output is meaningless: beam search extends each source of
/// `examples` for as many pieces as its target has, with EOS forbidden.
TranslationBenchmark benchmark_random_translation(const RunOptions& options,
                                                  const std::vector<Example>& examples,
                                                  std::int64_t vocab_size, double seconds);

}  // namespace dragoman
