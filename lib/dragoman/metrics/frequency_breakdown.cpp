#include "dragoman/metrics/frequency_breakdown.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"

#include <algorithm>

namespace dragoman {

namespace {

std::optional<double> share_of(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

WordCounts counts_of(const LineWords& words) {
  WordCounts counts;
  for (const auto& word : words) ++counts[word];
  return counts;
}

}  // namespace

std::optional<double> FrequencyClass::recall() const { return share_of(matches, reference_words); }

std::optional<double> FrequencyClass::precision() const {
  return share_of(matches, hypothesis_words);
}

std::vector<FrequencyClass> words_by_frequency(std::span<const LineWords> hypotheses,
                                               std::span<const LineWords> references,
                                               const WordCounts& training) {
  if (hypotheses.size() != references.size())
    throw DataError(concat("words by frequency: ", hypotheses.size(), " hypotheses of ",
                           references.size(), " references"));
  const auto ranges = count_ranges({0, 1, 5, 20, 100});
  std::vector<FrequencyClass> classes;
  for (const auto& range : ranges) classes.push_back({.occurrences = range});
  const auto class_of = [&](const std::u32string& word) -> FrequencyClass& {
    const auto found = training.find(word);
    return classes[range_of(ranges, found == training.end() ? 0 : found->second)];
  };
  for (std::size_t i = 0; i < references.size(); ++i) {
    const auto in_hypothesis = counts_of(hypotheses[i]), in_reference = counts_of(references[i]);
    for (const auto& [word, count] : in_hypothesis) class_of(word).hypothesis_words += count;
    for (const auto& [word, count] : in_reference) {
      auto& its_class = class_of(word);
      its_class.reference_words += count;
      if (const auto found = in_hypothesis.find(word); found != in_hypothesis.end())
        its_class.matches += std::min(count, found->second);
    }
  }
  std::erase_if(classes, [](const FrequencyClass& one) {
    return one.reference_words == 0 && one.hypothesis_words == 0;
  });
  return classes;
}

}  // namespace dragoman
