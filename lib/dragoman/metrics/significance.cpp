#include "dragoman/metrics/significance.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/metrics/numpy_generator.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace dragoman {

namespace {

/// The statistics in the single precision in which bootstrap samples are summed.
class SingleStatistics {
 public:
  explicit SingleStatistics(const SegmentStatistics& statistics) : width_(statistics.width()) {
    for (std::size_t i = 0; i < statistics.segments(); ++i) {
      for (const double value : statistics.row(i)) values_.push_back(static_cast<float>(value));
    }
  }

  std::vector<float> sum(const std::vector<std::uint32_t>& segments) const {
    std::vector<float> sums(width_, 0.0F);
    for (const auto segment : segments) {
      const float* row = &values_[segment * width_];
      for (std::size_t i = 0; i < width_; ++i) sums[i] += row[i];
    }
    return sums;
  }

 private:
  std::size_t width_;
  std::vector<float> values_;  // [segments * width]
};

/// The scores of corpora drawn from `statistics`. \return [samples]
std::vector<double> bootstrap_scores(const Metric& metric, const SegmentStatistics& statistics,
                                     std::int64_t samples, NumpyGenerator& generator) {
  const SingleStatistics single(statistics);
  const auto count = static_cast<std::uint32_t>(statistics.segments());
  std::vector<std::uint32_t> drawn(count);
  std::vector<double> scores;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    for (auto& segment : drawn) segment = generator.index_below(count);
    const auto sums = single.sum(drawn);
    scores.push_back(metric.score(std::span<const float>(sums)));
  }
  return scores;
}

/// NumPy's sum: pairwise above 128 numbers, eight running sums below.
template <typename Number>
Number numpy_sum(std::span<const Number> values) {
  constexpr std::size_t lanes = 8;
  constexpr std::size_t block = 128;
  if (values.size() > block) {
    auto half = values.size() / 2;
    half -= half % lanes;
    return numpy_sum(values.first(half)) + numpy_sum(values.subspan(half));
  }
  Number sum = 0;
  std::size_t i = 0;
  if (values.size() >= lanes) {
    Number running[lanes] = {};
    for (; i + lanes <= values.size(); i += lanes) {
      for (std::size_t lane = 0; lane < lanes; ++lane) running[lane] += values[i + lane];
    }
    sum = ((running[0] + running[1]) + (running[2] + running[3])) +
          ((running[4] + running[5]) + (running[6] + running[7]));
  }
  for (; i < values.size(); ++i) sum += values[i];
  return sum;
}

/// A number in the precision of the scores.
double rounded(const Metric& metric, double value) {
  return metric.scores_in_single() ? static_cast<float>(value) : value;
}

/// NumPy's mean in the precision of the scores.
double numpy_mean(const Metric& metric, const std::vector<double>& scores) {
  if (!metric.scores_in_single())
    return numpy_sum(std::span<const double>(scores)) / static_cast<double>(scores.size());
  const std::vector<float> single(scores.begin(), scores.end());
  return numpy_sum(std::span<const float>(single)) / static_cast<float>(single.size());
}

/// The exact mean, rounded once.
double rounded_mean(const Metric& metric, const std::vector<double>& scores) {
  long double sum = 0.0L;
  for (const double score : scores) sum += score;
  return rounded(metric, static_cast<double>(sum / static_cast<long double>(scores.size())));
}

/// Half the distance between the scores that leave one in forty out at each end.
double half_width(const Metric& metric, std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const auto left_out = scores.size() / 40;
  return 0.5 * rounded(metric, scores[scores.size() - 1 - left_out] - scores[left_out]);
}

/// sacreBLEU sorts the scores before it averages them: the order of the sum decides the last
/// digits.
ConfidenceInterval numpy_interval(const Metric& metric, std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  return {numpy_mean(metric, scores), half_width(metric, scores)};
}

/// The share of random differences larger than the real one, with 1 added to both counts.
double p_value(const std::vector<double>& differences, double real) {
  const auto larger =
      std::count_if(differences.begin(), differences.end(), [=](double d) { return d > real; });
  return static_cast<double>(larger + 1) / static_cast<double>(differences.size() + 1);
}

double real_difference(const Metric& metric, const SegmentStatistics& baseline,
                       const SegmentStatistics& system) {
  return std::abs(metric.score(std::span<const double>(baseline.sum())) -
                  metric.score(std::span<const double>(system.sum())));
}

void check_paired(const SegmentStatistics& baseline, const SegmentStatistics& system) {
  if (baseline.segments() != system.segments())
    throw DataError(concat("paired test: ", baseline.segments(), " lines of the baseline against ",
                           system.segments(), " of the system; they must be parallel"));
}

void add(std::span<const double> row, std::vector<double>& sums) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += row[i];
}

/// The difference after one exchange of segments between the systems. What stays and what comes
/// is summed apart, as in a product of matrices: where lengths are fractions, the last bit
/// decides whether a difference is larger than another.
double exchanged_difference(const Metric& metric, const SegmentStatistics& baseline,
                            const SegmentStatistics& system, NumpyBits& bits) {
  const std::vector<double> zeros(baseline.width(), 0.0);
  auto kept_baseline = zeros, kept_system = zeros, given_baseline = zeros, given_system = zeros;
  for (std::size_t segment = 0; segment < baseline.segments(); ++segment) {
    const bool keep = bits.next();
    add(baseline.row(segment), keep ? kept_baseline : given_baseline);
    add(system.row(segment), keep ? kept_system : given_system);
  }
  add(given_system, kept_baseline);
  add(kept_system, given_baseline);
  return std::abs(metric.score(std::span<const double>(kept_baseline)) -
                  metric.score(std::span<const double>(given_baseline)));
}

}  // namespace

void ResamplingOptions::validate() const {
  const auto expect = [](const char* name, std::int64_t value, std::int64_t usual) {
    if (value < 1)
      throw OptionsError(
          concat("resampling: ", name, ' ', value, " is less than 1; ", usual, " is the usual"));
    if (value > most_samples)
      throw OptionsError(concat("resampling: ", name, ' ', value, " is more than ", most_samples,
                                "; ", usual, " is the usual"));
  };
  expect("samples", samples, 1000);
  expect("trials", trials, 10000);
}

ConfidenceInterval bootstrap_interval(const Metric& metric, const SegmentStatistics& statistics,
                                      const ResamplingOptions& options) {
  options.validate();
  NumpyGenerator generator(options.seed);
  const auto scores = bootstrap_scores(metric, statistics, options.samples, generator);
  return {rounded_mean(metric, scores), half_width(metric, scores)};
}

PairedResult paired_bootstrap(const Metric& metric, const SegmentStatistics& baseline,
                              const SegmentStatistics& system, const ResamplingOptions& options) {
  options.validate();
  check_paired(baseline, system);
  NumpyGenerator generator(options.seed);
  NumpyGenerator same_draws(options.seed);
  const auto of_baseline = bootstrap_scores(metric, baseline, options.samples, generator);
  const auto of_system = bootstrap_scores(metric, system, options.samples, same_draws);
  std::vector<double> differences;
  for (std::size_t i = 0; i < of_system.size(); ++i)
    differences.push_back(rounded(metric, std::abs(of_system[i] - of_baseline[i])));
  const double mean = numpy_mean(metric, differences);
  for (double& difference : differences) difference = rounded(metric, difference - mean);
  const double real = rounded(metric, real_difference(metric, baseline, system));
  return {.p_value = p_value(differences, real),
          .baseline = numpy_interval(metric, of_baseline),
          .system = numpy_interval(metric, of_system)};
}

PairedResult paired_randomization(const Metric& metric, const SegmentStatistics& baseline,
                                  const SegmentStatistics& system, const ResamplingOptions& options,
                                  WithIntervals intervals) {
  options.validate();
  check_paired(baseline, system);
  NumpyGenerator generator(options.seed);
  NumpyBits bits(generator);
  std::vector<double> differences;
  for (std::int64_t trial = 0; trial < options.trials; ++trial)
    differences.push_back(exchanged_difference(metric, baseline, system, bits));
  const double real = real_difference(metric, baseline, system);
  PairedResult result{.p_value = p_value(differences, real), .baseline = {}, .system = {}};
  if (intervals == WithIntervals::yes) {
    NumpyGenerator fresh(options.seed);
    const auto of_baseline = bootstrap_scores(metric, baseline, options.samples, fresh);
    const auto of_system = bootstrap_scores(metric, system, options.samples, generator);
    result.baseline = numpy_interval(metric, of_baseline);
    result.system = numpy_interval(metric, of_system);
  }
  return result;
}

}  // namespace dragoman
