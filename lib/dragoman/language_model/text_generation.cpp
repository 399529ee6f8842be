#include "dragoman/language_model/text_generation.h"

#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"
#include "dragoman/language_model/language_scorer.h"
#include "dragoman/search/search.h"

#include <algorithm>

namespace dragoman {

namespace {

constexpr std::size_t texts_at_once = 64;

/// Maximum pieces of a text, EOS included.
std::int64_t limit_of(const LoadedLanguageModel& loaded, const SearchOptions& search,
                      std::int64_t pieces) {
  const auto longest = loaded.options.model.longest_sequence();
  const auto limit = std::min(
      search.max_length > 0 ? search.max_length : pieces + search.max_length_offset, longest);
  if (pieces >= limit)
    throw DataError(concat("prompt of ", pieces, " pieces: leaves no room within the limit of ",
                           limit, "; shorten it", limit < longest ? " or raise --max-length" : ""));
  return limit;
}

GeneratedText generated_text(const Hypothesis& hypothesis, const Tokenizer& tokenizer) {
  const auto pieces = hypothesis.ids.size() - (hypothesis.finished ? 1 : 0);
  return {.text = tokenizer.decode(std::span(hypothesis.ids).first(pieces)),
          .log_prob = hypothesis.log_prob,
          .finished = hypothesis.finished};
}

/// \param first index of the first prompt among all
std::vector<std::vector<GeneratedText>> generate_some(const LoadedLanguageModel& loaded,
                                                      std::span<const std::string> prompts,
                                                      const SearchOptions& search,
                                                      std::uint64_t seed, std::uint64_t first) {
  std::vector<std::vector<std::int32_t>> prefixes;
  std::vector<std::int64_t> limits;
  std::vector<std::uint64_t> streams;
  for (const auto& prompt : prompts) {
    prefixes.push_back(loaded.tokenizer.encode(prompt));
    limits.push_back(limit_of(loaded, search, std::ssize(prefixes.back())));
    streams.push_back(mix(seed, first + streams.size()));
  }
  LanguageScorer scorer(loaded.model);
  std::vector<std::vector<GeneratedText>> texts;
  for (const auto& found : run_search(scorer,
                                      {.max_lengths = limits,
                                       .prefixes = prefixes,
                                       .streams = streams,
                                       .special = loaded.tokenizer.special()},
                                      search)) {
    auto& of_one = texts.emplace_back();
    for (const auto& hypothesis : found)
      of_one.push_back(generated_text(hypothesis, loaded.tokenizer));
  }
  return texts;
}

}  // namespace

std::vector<std::vector<GeneratedText>> generate_texts(const LoadedLanguageModel& loaded,
                                                       std::span<const std::string> prompts,
                                                       const SearchOptions& search,
                                                       std::int64_t seed) {
  search.validate();
  const c10::InferenceMode no_gradient;
  std::vector<std::vector<GeneratedText>> texts;
  for (std::size_t first = 0; first < prompts.size(); first += texts_at_once) {
    const auto count = std::min(texts_at_once, prompts.size() - first);
    auto more = generate_some(loaded, prompts.subspan(first, count), search,
                              static_cast<std::uint64_t>(seed), first);
    std::move(more.begin(), more.end(), std::back_inserter(texts));
  }
  return texts;
}

}  // namespace dragoman
