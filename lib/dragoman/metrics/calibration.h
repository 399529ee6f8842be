#pragma once

#include <cstdint>
#include <vector>

namespace dragoman {

/// Predictions of like confidence.
struct ReliabilityBin {
  double from = 0.0;        ///< confidence, exclusive (but 0 belongs to the first bin)
  double to = 0.0;          ///< confidence, inclusive
  std::int64_t count = 0;   ///< predictions
  double confidence = 0.0;  ///< their mean
  double accuracy = 0.0;    ///< share of them that are right
};

/// How well confidence tells how often one is right: a reliability table of bins of equal width,
/// and the expected calibration error ("On Calibration of Modern Neural Networks", Guo et al. 2017,
/// section 2): the mean of |accuracy - confidence| over the bins, weighted by their predictions.
class Calibration {
 public:
  /// \throws ContractError if `bins` is below 1
  explicit Calibration(std::size_t bins = 10);

  /// \param confidence probability of what was predicted, in [0, 1]
  void add(double confidence, bool right);

  std::int64_t count() const { return count_; }
  double confidence() const;  ///< the mean; as all below 0 without predictions
  double accuracy() const;
  double expected_error() const;
  std::vector<ReliabilityBin> table() const;  ///< empty bins too

 private:
  struct Sum {
    std::int64_t count = 0, right = 0;
    double confidence = 0.0;
  };

  std::vector<Sum> bins_;
  std::int64_t count_ = 0;
};

}  // namespace dragoman
