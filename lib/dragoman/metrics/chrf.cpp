#include "dragoman/metrics/chrf.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/utf8.h"
#include "dragoman/metrics/ngrams.h"
#include "dragoman/metrics/unicode.h"

#include <array>

namespace dragoman {

namespace {

constexpr double tiny = 1e-16;  ///< replaces a quotient with denominator 0

bool is_ascii_punctuation(char32_t c) {
  return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) ||
         (c >= 0x7B && c <= 0x7E);
}

std::u32string without_white_space(std::u32string_view text) {
  std::u32string out;
  for (const char32_t c : text) {
    if (!unicode::is_white_space(c)) out += c;
  }
  return out;
}

/// Words with one punctuation mark cut off: the last character, or else the first.
std::vector<std::u32string> words(std::u32string_view text) {
  std::vector<std::u32string> out;
  for (const auto word : unicode::split(text)) {
    std::size_t cut = 0;
    if (word.size() > 1 && is_ascii_punctuation(word.back())) {
      cut = word.size() - 1;
    } else if (word.size() > 1 && is_ascii_punctuation(word.front())) {
      cut = 1;
    }
    if (cut > 0) out.emplace_back(word.substr(0, cut));
    out.emplace_back(word.substr(cut));
  }
  return out;
}

void add_orders(std::u32string_view hypothesis, std::u32string_view reference, std::size_t orders,
                std::vector<double>& row) {
  const std::array<std::u32string_view, 1> references = {reference};
  const auto matches = clipped_matches(hypothesis, references, orders);
  for (std::size_t n = 1; n <= orders; ++n) {
    const auto in_reference = ngram_count(reference.size(), n);
    const auto in_hypothesis = in_reference > 0 ? ngram_count(hypothesis.size(), n) : 0;
    row.push_back(static_cast<double>(in_hypothesis));
    row.push_back(static_cast<double>(in_reference));
    row.push_back(static_cast<double>(matches[n - 1]));
  }
}

/// All arithmetic is in `Number`, in sacreBLEU's order.
template <typename Number>
Number f_score(std::span<const Number> sums, const ChrfOptions& options) {
  const auto factor = static_cast<Number>(options.beta * options.beta);
  const auto one_more = static_cast<Number>(options.beta * options.beta + 1);
  Number epsilon_sum = 0;
  Number precision_sum = 0;
  Number recall_sum = 0;
  Number effective_orders = 0;
  const auto orders = sums.size() / 3;
  for (std::size_t i = 0; i < orders; ++i) {
    const Number hypothesis = sums[3 * i];
    const Number reference = sums[3 * i + 1];
    const Number matches = sums[3 * i + 2];
    const Number precision = hypothesis > 0 ? matches / hypothesis : static_cast<Number>(tiny);
    const Number recall = reference > 0 ? matches / reference : static_cast<Number>(tiny);
    const Number denominator = factor * precision + recall;
    epsilon_sum +=
        denominator > 0 ? one_more * precision * recall / denominator : static_cast<Number>(tiny);
    if (hypothesis > 0 && reference > 0) {
      precision_sum += precision;
      recall_sum += recall;
      effective_orders += 1;
    }
  }
  if (options.epsilon) return Number(100) * epsilon_sum / static_cast<Number>(orders);
  if (effective_orders == 0) return 0;
  const Number precision = precision_sum / effective_orders;
  const Number recall = recall_sum / effective_orders;
  if (precision + recall == 0) return 0;
  return Number(100) * (one_more * precision * recall / (factor * precision + recall));
}

}  // namespace

void ChrfOptions::validate() const {
  if (character_order > 100 || word_order > 100 || character_order + word_order < 1)
    throw OptionsError(concat("chrf: orders ", character_order, " (characters) and ", word_order,
                              " (words) must be at most 100, and one above 0"));
  if (beta < 1 || beta > 100)
    throw OptionsError(concat("chrf: beta ", beta, " is outside 1 to 100; the default is 2"));
}

Chrf::Chrf(const ChrfOptions& options) : options_(options) { options_.validate(); }

std::string Chrf::name() const {
  return concat("chrF", options_.beta, std::string(options_.word_order, '+'));
}

std::vector<SignatureField> Chrf::signature_fields() const {
  return {{"case", "c", options_.lowercase ? "lc" : "mixed"},
          {"eff", "e", yes_or_no(!options_.epsilon)},
          {"nc", "nc", std::to_string(options_.character_order)},
          {"nw", "nw", std::to_string(options_.word_order)},
          {"space", "s", yes_or_no(options_.white_space)}};
}

std::u32string Chrf::prepared(std::string_view line) const {
  auto text = utf8::decode_all(line);
  return options_.lowercase ? unicode::to_lower(text) : text;
}

std::u32string Chrf::characters(std::string_view line) const {
  const auto text = prepared(line);
  return options_.white_space ? text : without_white_space(text);
}

std::vector<double> Chrf::compare(std::u32string_view hypothesis,
                                  std::u32string_view reference) const {
  std::vector<double> row;
  if (options_.white_space) {
    add_orders(hypothesis, reference, options_.character_order, row);
  } else {
    add_orders(without_white_space(hypothesis), without_white_space(reference),
               options_.character_order, row);
  }
  if (options_.word_order > 0) {
    TokenNumbers numbers;
    add_orders(numbers.number(words(hypothesis)), numbers.number(words(reference)),
               options_.word_order, row);
  }
  return row;
}

std::vector<double> Chrf::segment(std::string_view hypothesis,
                                  std::span<const std::string_view> references) const {
  const auto candidate = prepared(hypothesis);
  std::vector<double> best;
  double best_score = -1.0;
  for (const auto reference : references) {
    auto row = compare(candidate, prepared(reference));
    const double row_score = score(std::span<const double>(row));
    if (row_score > best_score) {
      best_score = row_score;
      best = std::move(row);
    }
  }
  return best;
}

double Chrf::score(std::span<const double> sums) const { return f_score(sums, options_); }

double Chrf::score(std::span<const float> sums) const { return f_score(sums, options_); }

ChrfScore corpus_chrf(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references,
                      const ChrfOptions& options) {
  const Chrf metric(options);
  const auto statistics = collect_statistics(metric, hypotheses, complete_streams(references));
  const Signature signature({.references = statistics.references()}, metric.signature_fields());
  return {.score = metric.score(std::span<const double>(statistics.sum())),
          .name = metric.name(),
          .signature = signature.text()};
}

}  // namespace dragoman
