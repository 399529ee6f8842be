#include "dragoman/planning/validation_time.h"

#include "dragoman/core/stopwatch.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/decoding/module_model.h"
#include "dragoman/translate/line_translator.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace dragoman {

namespace {

constexpr std::size_t translated_lines = 64;

/// Evenly spread lines of the validation text, and how many there are.
struct ValidationLines {
  std::vector<std::string> lines = {};
  double all = 0.0;
  double target_pieces = 0.0;  ///< of one pair, on average
};

ValidationLines validation_lines(const RunOptions& options, const Vocabulary& vocabulary) {
  const auto pairs = read_parallel(std::vector<std::string>{options.data.valid_source},
                                   std::vector<std::string>{options.data.valid_target});
  auto count = pairs.size();
  const auto asked = static_cast<std::size_t>(options.train.validate_sentences);
  if (asked > 0) count = std::min(count, asked);
  ValidationLines result{.all = static_cast<double>(count)};
  const auto wanted = std::min(count, translated_lines);
  for (std::size_t i = 0; i < wanted; ++i) {
    const auto& pair = pairs[i * count / wanted];
    result.lines.push_back(pair.source);
    result.target_pieces += static_cast<double>(vocabulary.target.encode(pair.target).size()) + 1.0;
  }
  result.target_pieces /= static_cast<double>(std::max<std::size_t>(1, result.lines.size()));
  return result;
}

}  // namespace

double translation_seconds(const RunOptions& options, const Vocabulary& vocabulary,
                           const Transformer& model, std::int64_t workers) {
  const auto text = validation_lines(options, vocabulary);
  if (text.lines.empty()) return 0.0;
  auto search = options.search;
  search.precision = SearchPrecision::float32;  // as in a validation
  search.max_length = std::max<std::int64_t>(2, std::llround(text.target_pieces));
  const InferenceModels models = {inference_model(model, search)};
  const LineTranslator translator(models, vocabulary, search,
                                  {.workers = models.front()->is_on_cpu() ? workers : 0,
                                   .max_source_length = options.data.max_length});
  const auto start = std::chrono::steady_clock::now();
  translator.translate(text.lines);
  return seconds_since(start) * text.all / static_cast<double>(text.lines.size());
}

}  // namespace dragoman
