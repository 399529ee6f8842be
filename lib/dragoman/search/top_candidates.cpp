#include "dragoman/search/top_candidates.h"

#include "dragoman/core/simd.h"
#include "dragoman/kernels/fast_exp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <tuple>
#include <vector>

// A search spends its own time here: each step reads every logit of every hypothesis. The loops run
// over fixed blocks of independent lanes, which a compiler can vectorise without permission to
// reorder sums.
namespace dragoman {

namespace {

constexpr std::size_t lane_count = 64;

template <typename Scalar>
constexpr Scalar lowest = -std::numeric_limits<Scalar>::infinity();

template <typename Scalar>
using Lanes = std::array<Scalar, lane_count>;

/// The largest element of each lane (indices j, j + lane_count, ...).
Lanes<float> lane_maxima(const float* row, std::size_t size) {
  Lanes<float> maxima;
  run_on_this_cpu([row, size, &maxima](auto) __attribute__((always_inline)) {
    Lanes<float> largest;
    for (auto& lane : largest) lane = lowest<float>;
    std::size_t at = 0;
    for (; at + lane_count <= size; at += lane_count)
      for (std::size_t j = 0; j < lane_count; ++j)
        largest[j] = row[at + j] > largest[j] ? row[at + j] : largest[j];
    for (std::size_t j = 0; at < size; ++at, ++j)
      largest[j] = row[at] > largest[j] ? row[at] : largest[j];
    maxima = largest;
  });
  return maxima;
}

Lanes<double> lane_maxima(const double* row, std::size_t size) {
  Lanes<double> largest;
  largest.fill(lowest<double>);
  for (std::size_t i = 0; i < size; ++i)
    largest[i % lane_count] = std::max(largest[i % lane_count], row[i]);
  return largest;
}

double sum_of_exp(const float* row, std::size_t size, float shift) {
  double total = 0.0;
  run_on_this_cpu([row, size, shift, &total](auto) __attribute__((always_inline)) {
    Lanes<float> sums{};
    std::size_t at = 0;
    for (; at + lane_count <= size; at += lane_count)
      for (std::size_t j = 0; j < lane_count; ++j) sums[j] += fast_exp(row[at + j] - shift);
    double sum = 0.0;
    for (; at < size; ++at) sum += static_cast<double>(fast_exp(row[at] - shift));
    for (const float part : sums) sum += static_cast<double>(part);
    total = sum;
  });
  return total;
}

/// Elements tested together: most blocks contain none that is large enough.
constexpr std::size_t block_size = 2 * lane_count;

/// The first block from `at` on with an element larger than the threshold, or the incomplete last
/// one.
std::size_t next_block_above(const float* row, std::size_t at, std::size_t size, float threshold) {
  run_on_this_cpu([row, size, threshold, &at](auto) __attribute__((always_inline)) {
    for (; at + block_size <= size; at += block_size) {
      const float* block = row + at;
      Lanes<float> largest;
      for (std::size_t j = 0; j < lane_count; ++j) {
        const float first = block[j] > threshold ? block[j] : threshold;
        largest[j] = block[lane_count + j] > first ? block[lane_count + j] : first;
      }
      unsigned found = 0;
      for (std::size_t j = 0; j < lane_count; ++j) found |= largest[j] > threshold ? 1U : 0U;
      if (found != 0) return;
    }
  });
  return at;
}

std::size_t next_block_above(const double* row, std::size_t at, std::size_t size,
                             double threshold) {
  for (; at + block_size <= size; at += block_size)
    if (std::any_of(row + at, row + at + block_size, [=](double x) { return x > threshold; }))
      return at;
  return at;
}

/// The best elements so far, best first.
class Leaders {
 public:
  Leaders(std::span<Candidate> places, double threshold) : places_(places), threshold_(threshold) {}

  /// Only values larger than this are still accepted.
  double threshold() const { return threshold_; }
  std::size_t count() const { return count_; }

  void insert(double value, std::size_t index) {
    std::size_t place = count_ < places_.size() ? count_++ : count_ - 1;
    for (; place > 0 && places_[place - 1].value < value; --place)
      places_[place] = places_[place - 1];
    places_[place] = {value, static_cast<std::int64_t>(index)};
    if (count_ == places_.size()) threshold_ = places_.back().value;
  }

 private:
  std::span<Candidate> places_;
  std::size_t count_ = 0;
  double threshold_;
};

/// More leaders than this are sorted: `Leaders` would take too long to find the place of each.
constexpr std::size_t many_leaders = 4 * lane_count;

template <typename Scalar>
std::size_t sort_leaders(std::span<const Scalar> row, std::span<Candidate> best) {
  thread_local std::vector<Candidate> all;
  all.clear();
  for (std::size_t i = 0; i < row.size(); ++i)
    if (row[i] > lowest<Scalar>)
      all.push_back({static_cast<double>(row[i]), static_cast<std::int64_t>(i)});
  const auto count = std::min(best.size(), all.size());
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(all.begin(), end, all.end(), [](const Candidate& a, const Candidate& b) {
    return std::tuple(b.value, a.index) < std::tuple(a.value, b.index);
  });
  std::copy(all.begin(), end, best.begin());
  return count;
}

/// A value exceeded by the `count` largest elements: that many lanes each contain a larger one.
template <typename Scalar>
Scalar value_below_leaders(std::span<const Scalar> row, std::size_t count) {
  if (count > lane_count) return lowest<Scalar>;
  auto maxima = lane_maxima(row.data(), row.size());
  auto kept = lane_count;
  for (; kept >= 4 * count; kept /= 2)  // ordering fewer takes less time
    for (std::size_t j = 0; j < kept / 2; ++j)
      maxima[j] = std::max(maxima[j], maxima[j + kept / 2]);
  const auto last = maxima.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(maxima.begin(), last, maxima.begin() + static_cast<std::ptrdiff_t>(kept),
                   std::greater<>());
  return std::nextafter(*last, lowest<Scalar>);
}

/// The same for more than there are lanes, in more time.
float value_below_many(std::span<const float> row, std::size_t count) {
  if (count > row.size()) return lowest<float>;
  thread_local std::vector<float> largest;
  largest.assign(row.begin(), row.end());
  const auto last = largest.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::nth_element(largest.begin(), last, largest.end(), std::greater<>());
  return std::nextafter(*last, lowest<float>);
}

/// Elements of a block that are tested together.
constexpr std::size_t part_size = 16;

/// Finds the parts of a row, in order, with an element larger than the threshold; an incomplete
/// part counts as one.
/// \param parts the first index of each, written; room for all
/// \return their number
std::size_t find_parts_above(std::span<const float> row, std::span<const float> block_maxima,
                             float threshold, std::uint32_t* parts) {
  std::size_t count = 0;
  const auto find = [values = row.data(), size = row.size(), maxima = block_maxima.data(),
                     blocks = block_maxima.size(), threshold, parts,
                     &count](auto) __attribute__((always_inline)) {
    constexpr auto block = static_cast<std::size_t>(logits_block);
    std::size_t found = 0;
    for (std::size_t b = 0; b < blocks; ++b) {
      if (!(maxima[b] > threshold)) continue;
      for (std::size_t at = b * block; at < (b + 1) * block && at < size; at += part_size) {
        unsigned above = at + part_size > size ? 1U : 0U;
        if (above == 0)
          for (std::size_t j = 0; j < part_size; ++j) above |= values[at + j] > threshold ? 1U : 0U;
        parts[found] = static_cast<std::uint32_t>(at);
        found += above;
      }
    }
    count = found;
  };
  run_on_this_cpu(find);
  return count;
}

template <typename Scalar>
std::size_t find_leaders(std::span<const Scalar> row, std::span<Candidate> best) {
  if (best.empty()) return 0;
  if (best.size() > many_leaders) return sort_leaders(row, best);
  Leaders leaders(best, static_cast<double>(value_below_leaders(row, best.size())));
  for (std::size_t at = 0; at < row.size(); at += block_size) {
    const auto threshold = static_cast<Scalar>(leaders.threshold());
    at = next_block_above(row.data(), at, row.size(), threshold);
    const std::size_t end = std::min(at + block_size, row.size());
    for (std::size_t i = at; i < end; ++i)
      if (static_cast<double>(row[i]) > leaders.threshold())
        leaders.insert(static_cast<double>(row[i]), i);
  }
  return leaders.count();
}

}  // namespace

double log_sum_exp(std::span<const float> row) {
  const auto maxima = lane_maxima(row.data(), row.size());
  const float shift = *std::max_element(maxima.begin(), maxima.end());
  return static_cast<double>(shift) + std::log(sum_of_exp(row.data(), row.size(), shift));
}

double log_sum_exp(std::span<const double> row) {
  const double shift = *std::max_element(row.begin(), row.end());
  double sum = 0.0;
  for (const double value : row) sum += std::exp(value - shift);
  return shift + std::log(sum);
}

std::size_t top_candidates(std::span<const float> row, std::span<Candidate> best) {
  return find_leaders(row, best);
}

std::size_t top_candidates(std::span<const double> row, std::span<Candidate> best) {
  return find_leaders(row, best);
}

double log_sum_exp(std::span<const float> row, std::span<const float> block_maxima) {
  const float shift = *std::max_element(block_maxima.begin(), block_maxima.end());
  return static_cast<double>(shift) + std::log(sum_of_exp(row.data(), row.size(), shift));
}

double log_sum_exp_of_chunks(std::span<const float> block_maxima,
                             std::span<const float> chunk_sums) {
  constexpr auto blocks = static_cast<std::size_t>(logits_chunk / logits_block);
  const float shift = *std::max_element(block_maxima.begin(), block_maxima.end());
  double total = 0.0;
  for (std::size_t chunk = 0; chunk < chunk_sums.size(); ++chunk) {
    const auto of_chunk = block_maxima.subspan(chunk * blocks);
    const float largest =
        *std::ranges::max_element(of_chunk.first(std::min(blocks, of_chunk.size())));
    total +=
        static_cast<double>(chunk_sums[chunk]) * std::exp(static_cast<double>(largest - shift));
  }
  return static_cast<double>(shift) + std::log(total);
}

std::size_t top_candidates(std::span<const float> row, std::span<const float> block_maxima,
                           std::span<Candidate> best) {
  if (best.empty()) return 0;
  if (best.size() > many_leaders) return sort_leaders(row, best);
  const auto threshold = best.size() <= lane_count ? value_below_leaders(block_maxima, best.size())
                                                   : value_below_many(block_maxima, best.size());
  Leaders leaders(best, static_cast<double>(threshold));
  thread_local std::vector<std::uint32_t> parts;
  parts.resize(row.size() / part_size + 1);
  const auto count = find_parts_above(row, block_maxima, threshold, parts.data());
  for (const std::size_t at : std::span(parts).first(count)) {
    const auto end = std::min(at + part_size, row.size());
    for (auto i = at; i < end; ++i)
      if (static_cast<double>(row[i]) > leaders.threshold())
        leaders.insert(static_cast<double>(row[i]), i);
  }
  return leaders.count();
}

}  // namespace dragoman
