#include "dragoman/shortlist/aligner.h"

#include "dragoman/core/progress.h"
#include "dragoman/shortlist/chunks.h"
#include "dragoman/shortlist/symmetrise.h"

#include <atomic>
#include <cmath>
#include <span>

namespace dragoman {

namespace {

constexpr int model_1_iterations = 3, diagonal_iterations = 4;
constexpr double first_tension = 4.0;
constexpr double concentration = 0.01;  // of the Dirichlet prior
constexpr double least_share = 1e-6;    // smaller parts of a count do not matter
constexpr std::size_t sentences_at_once = 256;

constexpr double unit = 4294967296.0;  // 2^32: no piece may occur more often
constexpr int larger_shift = 12;

std::uint64_t units_of(double count) { return static_cast<std::uint64_t>(count * unit + 0.5); }

void add_units(std::uint64_t& sum, std::uint64_t units) {
  std::atomic_ref(sum).fetch_add(units, std::memory_order_relaxed);
}

/// d/dx ln Gamma(x), for x > 0.
double digamma(double x) {
  double result = 0.0;
  for (; x < 7.0; x += 1.0) result -= 1.0 / x;
  const double square = 1.0 / (x * x);
  return result + std::log(x) - 0.5 / x -
         square * (1.0 / 12.0 - square * (1.0 / 120.0 - square / 252.0));
}

/// One direction of a sentence pair: which piece of the given side each produced one may be from.
struct DirectedPair {
  Bitext::Ids produced;
  std::size_t given = 0;
  std::span<const std::uint32_t> indices;         // of the candidate pairs
  std::size_t given_step = 0, produced_step = 0;  // between neighbours in `indices`

  std::uint32_t index(std::size_t i, std::size_t j) const {
    return indices[i * produced_step + j * given_step];
  }
};

DirectedPair towards_target(Bitext::Ids source, Bitext::Ids target,
                            std::span<const std::uint32_t> indices) {
  return {target, source.size(), indices, target.size(), 1};
}

DirectedPair towards_source(Bitext::Ids source, Bitext::Ids target,
                            std::span<const std::uint32_t> indices) {
  return {source, target.size(), indices, 1, target.size()};
}

/// How probably piece i comes from each given piece.
/// \param weights [given], written, in proportion to the probabilities
/// \return the weight of none
double weigh_origins(const AlignmentDirection& model, const DirectedPair& pair, std::size_t i,
                     std::span<double> weights) {
  model.prior.fill(i, pair.produced.size(), weights);
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const auto index = pair.index(i, j);
    weights[j] *=
        index == CandidatePairs::none ? 0.0 : static_cast<double>(model.probability[index]);
  }
  return DiagonalPrior::null_probability *
         static_cast<double>(model.of_none[static_cast<std::size_t>(pair.produced[i])]);
}

/// Expected counts of one direction, in units.
struct ExpectedCounts {
  std::vector<std::uint64_t> of_pairs = {}, of_none = {};
  // Sums over the pieces that come from a given one, in larger units: for 2^44 pieces.
  std::uint64_t distance = 0, aligned = 0;

  void add(const AlignmentDirection& model, const DirectedPair& pair,
           std::vector<double>& scratch) {
    scratch.resize(pair.given);
    std::uint64_t own_distance = 0, own_aligned = 0;
    for (std::size_t i = 0; i < pair.produced.size(); ++i) {
      const double none = weigh_origins(model, pair, i, scratch);
      double sum = none;
      for (const double weight : scratch) sum += weight;
      if (!(sum > 0.0)) continue;
      add_units(of_none[static_cast<std::size_t>(pair.produced[i])], units_of(none / sum));
      for (std::size_t j = 0; j < scratch.size(); ++j) {
        const double share = scratch[j] / sum;
        if (share < least_share) continue;
        add_units(of_pairs[pair.index(i, j)], units_of(share));
        own_aligned += units_of(share);
        own_distance +=
            units_of(share * distance_from_diagonal(i, pair.produced.size(), j, pair.given));
      }
    }
    add_units(distance, own_distance >> larger_shift);
    add_units(aligned, own_aligned >> larger_shift);
  }
};

ExpectedCounts no_counts(std::size_t pairs, std::int64_t produced_pieces) {
  return {.of_pairs = std::vector<std::uint64_t>(pairs),
          .of_none = std::vector<std::uint64_t>(static_cast<std::size_t>(produced_pieces))};
}

double in_counts(std::uint64_t units) { return static_cast<double>(units) / unit; }

/// What one given piece produces: the sum of its counts, and of how many pieces.
struct GivenTotal {
  std::uint64_t units = 0;
  std::uint64_t pieces = 0;
};

/// The mean of the posterior's logarithm, as a probability.
float smoothed(std::uint64_t units, const GivenTotal& total) {
  return static_cast<float>(std::exp(
      digamma(in_counts(units) + concentration) -
      digamma(in_counts(total.units) + concentration * static_cast<double>(total.pieces))));
}

/// \param totals of each given piece
/// \param given_of the given piece of a source piece and a candidate pair
template <typename GivenOf>
void estimate(const CandidatePairs& pairs, const ExpectedCounts& counts,
              const std::vector<GivenTotal>& totals, const GivenOf& given_of, std::int64_t threads,
              AlignmentDirection& model) {
  for_chunks(pairs.sources(), 64, threads, [&](std::size_t begin, std::size_t end) {
    for (auto s = begin; s < end; ++s)
      for (auto k = pairs.begin_of(s); k < pairs.begin_of(s + 1); ++k)
        model.probability[k] = smoothed(counts.of_pairs[k], totals[given_of(s, k)]);
  });
  GivenTotal none{.pieces = counts.of_none.size()};
  for (const auto units : counts.of_none) none.units += units;
  for (std::size_t i = 0; i < counts.of_none.size(); ++i)
    model.of_none[i] = smoothed(counts.of_none[i], none);
}

/// Which given piece each produced piece most probably comes from; -1 = none.
std::vector<std::int32_t> best_origins(const AlignmentDirection& model, const DirectedPair& pair) {
  std::vector<std::int32_t> best(pair.produced.size(), -1);
  std::vector<double> weights(pair.given);
  for (std::size_t i = 0; i < best.size(); ++i) {
    double largest = weigh_origins(model, pair, i, weights);
    for (std::size_t j = 0; j < weights.size(); ++j)
      if (weights[j] > largest) {
        largest = weights[j];
        best[i] = static_cast<std::int32_t>(j);
      }
  }
  return best;
}

AlignmentDirection even_direction(std::size_t pairs, std::int64_t produced_pieces) {
  return {.prior = {},
          .probability = std::vector<float>(pairs, 1.0F),
          .of_none = std::vector<float>(static_cast<std::size_t>(produced_pieces), 1.0F)};
}

}  // namespace

Aligner::Aligner(const Bitext& text, const VocabularySizes& sizes, std::int64_t threads)
    : text_(text),
      sizes_(sizes),
      threads_(threads),
      pairs_(text, sizes, threads),
      to_target_(even_direction(pairs_.size(), sizes.target)),
      to_source_(even_direction(pairs_.size(), sizes.source)) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto source = text.source(i).size(), target = text.target(i).size();
    ++target_lengths_[{target, source}];
    ++source_lengths_[{source, target}];
  }
}

void Aligner::train() {
  constexpr int iterations = model_1_iterations + diagonal_iterations;
  Progress progress("aligning the text", "iterations", iterations);
  for (int i = 0; i < iterations; ++i) {
    if (i == model_1_iterations)
      to_target_.prior.tension = to_source_.prior.tension = first_tension;
    iterate(/*fit_tension=*/i >= model_1_iterations);
    progress.show(i + 1);
  }
  progress.finish();
}

void Aligner::iterate(bool fit_tension) {
  auto of_targets = no_counts(pairs_.size(), sizes_.target);
  auto of_sources = no_counts(pairs_.size(), sizes_.source);
  for_chunks(text_.size(), sentences_at_once, threads_, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> indices;
    std::vector<double> scratch;
    for (auto i = begin; i < end; ++i) {
      const auto source = text_.source(i), target = text_.target(i);
      pairs_.find(source, target, indices);
      of_targets.add(to_target_, towards_target(source, target, indices), scratch);
      of_sources.add(to_source_, towards_source(source, target, indices), scratch);
    }
  });
  std::vector<GivenTotal> by_source(static_cast<std::size_t>(sizes_.source)),
      by_target(static_cast<std::size_t>(sizes_.target));
  for (std::size_t s = 0; s < pairs_.sources(); ++s)
    for (auto k = pairs_.begin_of(s); k < pairs_.begin_of(s + 1); ++k) {
      auto& target = by_target[static_cast<std::size_t>(pairs_.target_of(k))];
      by_source[s].units += of_targets.of_pairs[k];
      target.units += of_sources.of_pairs[k];
      ++by_source[s].pieces;
      ++target.pieces;
    }
  estimate(
      pairs_, of_targets, by_source, [](std::size_t source, std::size_t) { return source; },
      threads_, to_target_);
  estimate(
      pairs_, of_sources, by_target,
      [this](std::size_t, std::size_t pair) {
        return static_cast<std::size_t>(pairs_.target_of(pair));
      },
      threads_, to_source_);
  if (!fit_tension) return;
  const auto fit = [](AlignmentDirection& model, const ExpectedCounts& counts,
                      const LengthCounts& lengths) {
    if (counts.aligned == 0) return;
    const auto mean = static_cast<double>(counts.distance) / static_cast<double>(counts.aligned);
    model.prior.tension = fitted_tension(model.prior.tension, mean, lengths);
  };
  fit(to_target_, of_targets, target_lengths_);
  fit(to_source_, of_sources, source_lengths_);
}

std::vector<std::uint64_t> Aligner::count_links() const {
  std::vector<std::uint64_t> links(pairs_.size());
  for_chunks(text_.size(), sentences_at_once, threads_, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> indices;
    for (auto i = begin; i < end; ++i) {
      const auto source = text_.source(i), target = text_.target(i);
      pairs_.find(source, target, indices);
      const auto source_of = best_origins(to_target_, towards_target(source, target, indices));
      const auto target_of = best_origins(to_source_, towards_source(source, target, indices));
      for (const auto& [s, t] : grow_diag_final_and(source_of, target_of))
        add_units(links[indices[s * target.size() + t]], 1);
    }
  });
  return links;
}

}  // namespace dragoman
