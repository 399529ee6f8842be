#include "dragoman/language_model/text_generation.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/mix.h"
#include "dragoman/language_model/language_scorer.h"
#include "dragoman/search/search.h"

#include <algorithm>
#include <iterator>

namespace dragoman {

namespace {

constexpr std::size_t texts_at_once = 64;

struct Prompt {
  std::string text;
  std::vector<std::int32_t> ids;
  std::int64_t limit = 0;  ///< pieces of the whole text at most, EOS included
};

/// Maximum pieces of a text, EOS included.
/// \param place of the prompt, for messages
std::int64_t limit_of(const LoadedLanguageModel& loaded, const SearchOptions& search,
                      std::int64_t pieces, const std::string& place) {
  const auto longest = loaded.options.model.longest_sequence();
  const auto limit = std::min(
      search.max_length > 0 ? search.max_length : pieces + search.max_length_offset, longest);
  if (pieces >= limit)
    throw DataError(concat(place, ": has ", pieces,
                           " pieces, which leave no room within the limit of ", limit,
                           "; shorten it", limit < longest ? " or raise --max-length" : ""));
  return limit;
}

/// The prompt as it was given, whatever its pieces are, with what follows.
GeneratedText generated_text(const Hypothesis& hypothesis, const Prompt& prompt,
                             const Tokenizer& tokenizer) {
  const auto pieces = hypothesis.ids.size() - (hypothesis.finished ? 1 : 0);
  auto text = tokenizer.decode(std::span(hypothesis.ids).first(pieces));
  const auto read = tokenizer.decode(prompt.ids);
  if (text.starts_with(read)) text.replace(0, read.size(), prompt.text);
  return {
      .text = std::move(text), .log_prob = hypothesis.log_prob, .finished = hypothesis.finished};
}

/// \param first index of the first prompt among all
std::vector<std::vector<GeneratedText>> generate_some(const LoadedLanguageModel& loaded,
                                                      std::span<const Prompt> prompts,
                                                      const SearchOptions& search,
                                                      std::uint64_t seed, std::uint64_t first) {
  std::vector<std::vector<std::int32_t>> prefixes;
  std::vector<std::int64_t> limits;
  std::vector<std::uint64_t> streams;
  for (const auto& prompt : prompts) {
    prefixes.push_back(prompt.ids);
    limits.push_back(prompt.limit);
    streams.push_back(mix(seed, first + streams.size()));
  }
  LanguageScorer scorer(loaded.model);
  const auto found = run_search(scorer,
                                {.max_lengths = limits,
                                 .prefixes = prefixes,
                                 .streams = streams,
                                 .special = loaded.tokenizer.special()},
                                search);
  std::vector<std::vector<GeneratedText>> texts(prompts.size());
  for (std::size_t i = 0; i < prompts.size(); ++i)
    for (const auto& hypothesis : found[i])
      texts[i].push_back(generated_text(hypothesis, prompts[i], loaded.tokenizer));
  return texts;
}

}  // namespace

std::vector<std::vector<GeneratedText>> generate_texts(const LoadedLanguageModel& loaded,
                                                       std::span<const std::string> prompts,
                                                       const SearchOptions& search,
                                                       std::int64_t seed, std::string_view place,
                                                       std::size_t before) {
  search.validate();
  const c10::InferenceMode no_gradient;
  std::vector<Prompt> read;
  for (const auto& text : prompts) {
    auto ids = loaded.tokenizer.encode(text);
    const auto limit = limit_of(loaded, search, std::ssize(ids),
                                concat(place, ": line ", before + read.size() + 1));
    read.push_back({.text = text, .ids = std::move(ids), .limit = limit});
  }
  std::vector<std::vector<GeneratedText>> texts;
  for (std::size_t first = 0; first < read.size(); first += texts_at_once) {
    const auto count = std::min(texts_at_once, read.size() - first);
    auto more = generate_some(loaded, std::span(read).subspan(first, count), search,
                              static_cast<std::uint64_t>(seed), before + first);
    std::move(more.begin(), more.end(), std::back_inserter(texts));
  }
  return texts;
}

}  // namespace dragoman
