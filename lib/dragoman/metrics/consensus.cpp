#include "dragoman/metrics/consensus.h"

#include "dragoman/core/error.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/metrics/ngram_table.h"
#include "dragoman/metrics/ngrams.h"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dragoman {

namespace {

/// Which of the distinct texts each sample is.
struct Distinct {
  std::vector<std::string_view> texts;
  std::vector<std::size_t> of_sample;

  explicit Distinct(std::span<const std::string> samples) {
    std::unordered_map<std::string_view, std::size_t> known;
    for (const auto& sample : samples) {
      const auto [place, added] = known.try_emplace(sample, texts.size());
      if (added) texts.emplace_back(sample);
      of_sample.push_back(place->second);
    }
  }
};

constexpr ChrfOptions chrf_options{.character_order = 6};
constexpr BleuOptions bleu_options{.max_order = 4, .effective_order = true};

/// A metric of sentences by the statistics that an NgramTable gives.
class ChrfUtility {
 public:
  static constexpr std::size_t max_order = chrf_options.character_order;

  std::vector<std::u32string> symbols(const std::vector<std::string_view>& texts) const {
    std::vector<std::u32string> all;
    for (const auto text : texts) all.push_back(metric_.characters(text));
    return all;
  }

  /// \param matches [max_order]
  double operator()(std::size_t candidate, std::size_t reference,
                    std::span<const std::int64_t> matches) {
    row_.clear();
    for (std::size_t n = 1; n <= max_order; ++n) {
      const auto in_reference = ngram_count(reference, n);
      row_.push_back(in_reference > 0 ? static_cast<double>(ngram_count(candidate, n)) : 0.0);
      row_.push_back(static_cast<double>(in_reference));
      row_.push_back(static_cast<double>(matches[n - 1]));
    }
    return metric_.score(std::span<const double>(row_));
  }

 private:
  Chrf metric_{chrf_options};
  std::vector<double> row_;
};

class BleuUtility {
 public:
  static constexpr std::size_t max_order = bleu_options.max_order;

  std::vector<std::u32string> symbols(const std::vector<std::string_view>& texts) const {
    TokenNumbers numbers;
    std::vector<std::u32string> all;
    for (const auto text : texts) all.push_back(numbers.number(metric_.tokens(text)));
    return all;
  }

  double operator()(std::size_t candidate, std::size_t reference,
                    std::span<const std::int64_t> matches) {
    row_ = {static_cast<double>(candidate), static_cast<double>(reference)};
    for (const auto count : matches) row_.push_back(static_cast<double>(count));
    for (std::size_t n = 1; n <= max_order; ++n)
      row_.push_back(static_cast<double>(ngram_count(candidate, n)));
    return metric_.score(std::span<const double>(row_));
  }

 private:
  Bleu metric_{bleu_options};
  std::vector<double> row_;
};

template <typename SentenceUtility>
Consensus best_of(std::span<const std::string> samples, SentenceUtility utility) {
  const Distinct distinct(samples);
  NgramTable table(utility.symbols(distinct.texts), SentenceUtility::max_order);
  std::vector<double> means(table.texts()), against(table.texts());
  std::vector<std::int64_t> matches;
  for (std::size_t text = 0; text < table.texts(); ++text) {
    table.match_all(text, matches);
    for (std::size_t other = 0; other < table.texts(); ++other)
      against[other] = utility(table.length(text), table.length(other),
                               std::span(matches).subspan(other * SentenceUtility::max_order,
                                                          SentenceUtility::max_order));
    double sum = 0.0;  // in the order of the samples: rounded as in the plain computation
    for (const auto other : distinct.of_sample) sum += against[other];
    means[text] = sum / static_cast<double>(samples.size());
  }
  Consensus best{.sample = 0, .utility = means[distinct.of_sample.front()]};
  for (std::size_t i = 1; i < samples.size(); ++i)
    if (const double mean = means[distinct.of_sample[i]]; mean > best.utility) best = {i, mean};
  return best;
}

}  // namespace

std::optional<Utility> utility_named(std::string_view name) {
  if (name == "chrf") return Utility::chrf;
  if (name == "bleu") return Utility::bleu;
  return std::nullopt;
}

std::unique_ptr<const Metric> utility_metric(Utility utility) {
  if (utility == Utility::chrf) return std::make_unique<Chrf>(chrf_options);
  return std::make_unique<Bleu>(bleu_options);
}

Consensus consensus(std::span<const std::string> samples, Utility utility) {
  if (samples.empty()) throw ContractError("consensus: no samples");
  return utility == Utility::chrf ? best_of(samples, ChrfUtility())
                                  : best_of(samples, BleuUtility());
}

}  // namespace dragoman
