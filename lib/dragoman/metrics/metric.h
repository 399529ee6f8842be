#pragma once

#include "dragoman/metrics/signature.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The references of one translator, one line per hypothesis; lines may be missing.
using ReferenceStream = std::vector<std::optional<std::string>>;

/// One row of numbers per segment. A score is computed only from sums of rows, over the corpus or
/// over a sample of it, so that resampling never reads the text again.
class SegmentStatistics {
 public:
  SegmentStatistics(std::size_t width, std::size_t references)
      : width_(width), references_(references) {}

  /// \param row [width]
  void add(std::span<const double> row) { values_.insert(values_.end(), row.begin(), row.end()); }

  std::size_t segments() const { return values_.size() / width_; }
  std::size_t width() const { return width_; }
  /// References per segment; 0 = varying.
  std::size_t references() const { return references_; }
  /// [width]
  std::span<const double> row(std::size_t segment) const {
    return {values_.data() + segment * width_, width_};
  }
  /// [width], over all segments.
  std::vector<double> sum() const;

 private:
  std::size_t width_;
  std::size_t references_;
  std::vector<double> values_;  // [segments * width]
};

/// A corpus score that is a function of sums over the segments.
class Metric {
 public:
  virtual ~Metric() = default;

  /// "BLEU", "chrF2++".
  virtual std::string name() const = 0;

  /// The metric-specific part of the signature.
  virtual std::vector<SignatureField> signature_fields() const = 0;

  /// The statistics of one segment; the same number of them for every segment.
  virtual std::vector<double> segment(std::string_view hypothesis,
                                      std::span<const std::string_view> references) const = 0;

  /// The score of summed statistics.
  virtual double score(std::span<const double> sums) const = 0;

  /// The same in the single precision that sacreBLEU uses for bootstrap samples.
  virtual double score(std::span<const float> sums) const = 0;

  /// Whether the result of that second function is itself rounded to single precision.
  virtual bool scores_in_single() const = 0;

  /// What a score line shows after the score; may be empty.
  virtual std::string details(std::span<const double> /*sums*/) const { return {}; }
};

/// The statistics of a corpus. \param references one or more streams, each as long as `hypotheses`
/// \throws DataError if there is nothing to score, lengths differ or a line has no reference.
SegmentStatistics collect_statistics(const Metric& metric,
                                     const std::vector<std::string>& hypotheses,
                                     const std::vector<ReferenceStream>& references);

/// Streams without missing lines.
std::vector<ReferenceStream> complete_streams(
    const std::vector<std::vector<std::string>>& references);

}  // namespace dragoman
