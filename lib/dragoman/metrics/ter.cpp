#include "dragoman/metrics/ter.h"

#include "dragoman/core/utf8.h"
#include "dragoman/metrics/ngrams.h"
#include "dragoman/metrics/ter_edits.h"

#include <algorithm>
#include <limits>

namespace dragoman {

namespace {

template <typename Number>
Number edit_rate(std::span<const Number> sums) {
  const Number edits = sums[0];
  const Number length = sums[1];
  if (length > 0) return Number(100) * (edits / length);
  return edits > 0 ? Number(100) : Number(0);
}

/// References are preprocessed twice, as in sacreBLEU; with `normalized` this makes a difference.
std::vector<std::u32string> reference_tokens(std::string_view line, const TerOptions& options) {
  std::string joined;
  for (const auto& token : ter_tokens(line, options)) {
    if (!joined.empty()) joined += ' ';
    joined += utf8::encode_all(token);
  }
  return ter_tokens(joined, options);
}

}  // namespace

std::vector<SignatureField> Ter::signature_fields() const {
  return {{"case", "c", options_.case_sensitive ? "mixed" : "lc"},
          {"tok", "t", "tercom"},
          {"norm", "nr", yes_or_no(options_.normalized)},
          {"punct", "pn", yes_or_no(!options_.no_punctuation)},
          {"asian", "as", yes_or_no(options_.asian_support)}};
}

std::vector<double> Ter::segment(std::string_view hypothesis,
                                 std::span<const std::string_view> references) const {
  TokenNumbers numbers;
  const auto candidate = numbers.number(ter_tokens(hypothesis, options_));
  double least = std::numeric_limits<double>::infinity();
  double length = 0.0;
  for (const auto reference : references) {
    const auto answer = numbers.number(reference_tokens(reference, options_));
    least = std::min(least, static_cast<double>(translation_edits(candidate, answer)));
    length += static_cast<double>(answer.size());
  }
  return {least, length / static_cast<double>(references.size())};
}

double Ter::score(std::span<const double> sums) const { return edit_rate(sums); }

double Ter::score(std::span<const float> sums) const { return edit_rate(sums); }

TerScore corpus_ter(const std::vector<std::string>& hypotheses,
                    const std::vector<std::vector<std::string>>& references,
                    const TerOptions& options) {
  const Ter metric(options);
  const auto statistics = collect_statistics(metric, hypotheses, complete_streams(references));
  const auto sums = statistics.sum();
  const Signature signature({.references = statistics.references()}, metric.signature_fields());
  return {.score = metric.score(std::span<const double>(sums)),
          .edits = sums[0],
          .reference_length = sums[1],
          .signature = signature.text()};
}

}  // namespace dragoman
