#include "dragoman/metrics/bleu.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/quantity.h"
#include "dragoman/core/utf8.h"
#include "dragoman/metrics/ngrams.h"
#include "dragoman/metrics/unicode.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>
#include <utility>

namespace dragoman {

namespace {

constexpr std::array<std::pair<BleuSmoothing, const char*>, 4> smoothing_names = {{
    {BleuSmoothing::exponential, "exp"},
    {BleuSmoothing::floor, "floor"},
    {BleuSmoothing::add_k, "add-k"},
    {BleuSmoothing::none, "none"},
}};

double smooth_value(const BleuOptions& options) {
  return options.smooth_value.value_or(options.smoothing == BleuSmoothing::floor ? 0.1 : 1.0);
}

/// The reference length nearest to that of the hypothesis; of two equally near, the shorter.
std::size_t nearest_length(std::size_t length, const std::vector<std::u32string>& references) {
  const auto distance = [length](std::size_t other) {
    return other > length ? other - length : length - other;
  };
  std::size_t nearest = references.front().size();
  for (const auto& reference : references) {
    const auto size = reference.size();
    if (std::pair(distance(size), size) < std::pair(distance(nearest), nearest)) nearest = size;
  }
  return nearest;
}

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1.0;
  return hypothesis_length > 0.0 ? std::exp(1.0 - reference_length / hypothesis_length) : 0.0;
}

/// Precisions in per cent, and the number of orders averaged.
struct Precisions {
  std::vector<double> values;
  std::size_t orders;
};

/// Smooths `correct` and `total` in place. In single precision, every step that involves a count is
/// rounded to single, as in NumPy.
template <typename Number>
Precisions smooth(std::vector<Number>& correct, std::vector<Number>& total,
                  const BleuOptions& options) {
  Precisions precisions{std::vector<double>(correct.size(), 0.0), correct.size()};
  if (std::all_of(correct.begin(), correct.end(), [](Number c) { return c == 0; }))
    return precisions;
  const double value = smooth_value(options);
  double halvings = 1.0;
  for (std::size_t n = 0; n < correct.size(); ++n) {
    if (options.smoothing == BleuSmoothing::add_k && n > 0) {
      correct[n] += static_cast<Number>(value);
      total[n] += static_cast<Number>(value);
    }
    if (total[n] == 0) break;
    if (options.effective_order) precisions.orders = n + 1;
    if (correct[n] != 0) {
      precisions.values[n] = Number(100) * correct[n] / total[n];
    } else if (options.smoothing == BleuSmoothing::exponential) {
      halvings *= 2.0;
      precisions.values[n] = Number(100) / (static_cast<Number>(halvings) * total[n]);
    } else if (options.smoothing == BleuSmoothing::floor) {
      precisions.values[n] = static_cast<Number>(100.0 * value) / total[n];
    }
  }
  return precisions;
}

double geometric_mean(const Precisions& precisions) {
  constexpr double log_of_zero = -9999999999.0;
  double sum = 0.0;
  for (std::size_t n = 0; n < precisions.orders; ++n)
    sum += precisions.values[n] == 0.0 ? log_of_zero : std::log(precisions.values[n]);
  return std::exp(sum / static_cast<double>(precisions.orders));
}

template <typename Number>
BleuScore evaluate_sums(std::span<const Number> sums, const BleuOptions& options) {
  const auto order = static_cast<std::ptrdiff_t>(options.max_order);
  std::vector<Number> correct(sums.begin() + 2, sums.begin() + 2 + order);
  std::vector<Number> total(sums.begin() + 2 + order, sums.end());
  const bool matched = std::any_of(correct.begin(), correct.end(), [](Number c) { return c != 0; });
  const auto precisions = smooth(correct, total, options);

  BleuScore score;
  score.hypothesis_length = static_cast<std::int64_t>(sums[0]);
  score.reference_length = static_cast<std::int64_t>(sums[1]);
  score.brevity_penalty = brevity_penalty(static_cast<double>(score.hypothesis_length),
                                          static_cast<double>(score.reference_length));
  score.score = matched ? score.brevity_penalty * geometric_mean(precisions) : 0.0;
  score.correct.assign(correct.begin(), correct.end());
  score.total.assign(total.begin(), total.end());
  score.precisions = precisions.values;
  return score;
}

}  // namespace

std::string smoothing_name(BleuSmoothing smoothing) {
  for (const auto& [value, name] : smoothing_names) {
    if (value == smoothing) return name;
  }
  throw ContractError("smoothing_name: a value outside the enumeration");
}

BleuSmoothing smoothing_named(std::string_view name) {
  for (const auto& [value, candidate] : smoothing_names)
    if (name == candidate) return value;
  throw OptionsError(concat("smooth: \"", name, "\" is not a BLEU smoothing; known: ",
                            joined(smoothing_names | std::views::values)));
}

void BleuOptions::validate() const {
  if (max_order < 1 || max_order > 100)
    throw OptionsError(
        concat("bleu: max_order ", max_order, " is outside 1 to 100; the default is 4"));
  if (smooth_value && !(*smooth_value >= 0.0 && *smooth_value <= 1e6))
    throw OptionsError(concat("bleu: smooth_value ", *smooth_value, " is outside 0 to 1,000,000"));
}

double BleuScore::ratio() const {
  if (reference_length == 0) return 0.0;
  return static_cast<double>(hypothesis_length) / static_cast<double>(reference_length);
}

std::string BleuScore::details() const {
  std::string text;
  for (const double precision : precisions) {
    if (!text.empty()) text += '/';
    text += decimal(precision, 1);
  }
  return concat(text, " (BP = ", decimal(brevity_penalty, 3), " ratio = ", decimal(ratio(), 3),
                " hyp_len = ", hypothesis_length, " ref_len = ", reference_length, ")");
}

Bleu::Bleu(const BleuOptions& options) : options_(options) { options_.validate(); }

BleuScore Bleu::evaluate(std::span<const double> sums) const {
  return evaluate_sums(sums, options_);
}

std::vector<SignatureField> Bleu::signature_fields() const {
  auto smoothing = smoothing_name(options_.smoothing);
  if (options_.smoothing == BleuSmoothing::floor || options_.smoothing == BleuSmoothing::add_k)
    smoothing += concat('[', decimal(smooth_value(options_), 2), ']');
  return {{"case", "c", options_.lowercase ? "lc" : "mixed"},
          {"eff", "e", yes_or_no(options_.effective_order)},
          {"tok", "tok", tokenizer_name(options_.tokenizer)},
          {"smooth", "s", smoothing}};
}

std::vector<std::u32string> Bleu::tokens(std::string_view line) const {
  auto text = utf8::decode_all(line);
  if (options_.lowercase) text = unicode::to_lower(text);
  return tokenize(unicode::strip_right(text), options_.tokenizer);
}

std::vector<double> Bleu::segment(std::string_view hypothesis,
                                  std::span<const std::string_view> references) const {
  TokenNumbers numbers;
  const auto candidate = numbers.number(tokens(hypothesis));
  std::vector<std::u32string> answers;
  for (const auto reference : references) answers.push_back(numbers.number(tokens(reference)));
  const std::vector<std::u32string_view> views(answers.begin(), answers.end());

  std::vector<double> row = {static_cast<double>(candidate.size()),
                             static_cast<double>(nearest_length(candidate.size(), answers))};
  for (const auto matches : clipped_matches(candidate, views, options_.max_order))
    row.push_back(static_cast<double>(matches));
  for (std::size_t n = 1; n <= options_.max_order; ++n)
    row.push_back(static_cast<double>(ngram_count(candidate.size(), n)));
  return row;
}

double Bleu::score(std::span<const double> sums) const { return evaluate(sums).score; }

double Bleu::score(std::span<const float> sums) const {
  return evaluate_sums(sums, options_).score;
}

std::string Bleu::details(std::span<const double> sums) const { return evaluate(sums).details(); }

BleuScore corpus_bleu(const std::vector<std::string>& hypotheses,
                      const std::vector<std::vector<std::string>>& references,
                      const BleuOptions& options) {
  const Bleu metric(options);
  const auto statistics = collect_statistics(metric, hypotheses, complete_streams(references));
  auto score = metric.evaluate(statistics.sum());
  score.signature =
      Signature({.references = statistics.references()}, metric.signature_fields()).text();
  return score;
}

}  // namespace dragoman
