#pragma once

#include "dragoman/metrics/metric.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace dragoman {

/// Differences with a smaller p-value are called significant, if the text has enough lines.
inline constexpr double significance_level = 0.05;

/// Of fewer lines no difference is called significant: the tests count random differences that are
/// larger than the real one, of which few lines hardly have any.
inline constexpr std::size_t least_lines_of_test = 20;

/// A mean of resampled scores and half the width of their 95 % interval.
struct ConfidenceInterval {
  double mean = 0.0;
  double half_width = 0.0;
};

/// The most samples or trials: a score of each is kept, and more would change no shown digit.
inline constexpr std::int64_t most_samples = 10'000'000;

struct ResamplingOptions {
  std::int64_t samples = 1000;  ///< corpora drawn by a bootstrap, at most `most_samples`
  std::int64_t trials = 10000;  ///< exchanges made by approximate randomisation, as many
  std::uint64_t seed = 12345;   ///< of NumPy's generator; sacreBLEU's default

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

/// A system compared with a baseline.
struct PairedResult {
  /// Of a larger difference between systems that are equally good, as sacreBLEU estimates it.
  double p_value = 1.0;
  std::optional<ConfidenceInterval> baseline;
  std::optional<ConfidenceInterval> system;
};

/// Whether approximate randomisation also estimates intervals, by a bootstrap.
enum class WithIntervals { no, yes };

/// The interval of one system's score by bootstrap resampling (Koehn, 2004).
ConfidenceInterval bootstrap_interval(const Metric& metric, const SegmentStatistics& statistics,
                                      const ResamplingOptions& options = {});

/// Paired bootstrap resampling (Koehn, 2004), as in sacreBLEU: the p-value counts resampled
/// differences that lie farther from their mean than the real one from 0.
/// \param baseline, system of the same segments
PairedResult paired_bootstrap(const Metric& metric, const SegmentStatistics& baseline,
                              const SegmentStatistics& system,
                              const ResamplingOptions& options = {});

/// Paired approximate randomisation (Riezler and Maxwell, 2005).
/// \param baseline, system of the same segments
PairedResult paired_randomization(const Metric& metric, const SegmentStatistics& baseline,
                                  const SegmentStatistics& system,
                                  const ResamplingOptions& options = {},
                                  WithIntervals intervals = WithIntervals::no);

}  // namespace dragoman
