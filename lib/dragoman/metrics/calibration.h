#pragma once

#include <cstdint>
#include <vector>

namespace dragoman {

/// Predictions of similar confidence.
struct ReliabilityBin {
  double from = 0.0;        ///< confidence, exclusive (but 0 belongs to the first bin)
  double to = 0.0;          ///< confidence, inclusive
  std::int64_t count = 0;   ///< predictions
  double confidence = 0.0;  ///< their mean
  double accuracy = 0.0;    ///< share of them that are correct
};

/// How well confidence predicts accuracy: a reliability table with bins of equal width, and the
/// expected calibration error ("On Calibration of Modern Neural Networks", Guo et al. 2017, section
/// 2): the mean of |accuracy - confidence| over the bins, weighted by their predictions.
class Calibration {
 public:
  /// \throws ContractError if `bins` is below 1
  explicit Calibration(std::size_t bins = 10);

  /// \param confidence probability of the prediction, in [0, 1]
  void add(double confidence, bool right);

  std::int64_t count() const { return count_; }
  double confidence() const;  ///< the mean; this and those below are 0 without predictions
  double accuracy() const;
  double expected_error() const;
  std::vector<ReliabilityBin> table() const;  ///< including empty bins

 private:
  struct Sum {
    std::int64_t count = 0, right = 0;
    double confidence = 0.0;
  };

  std::vector<Sum> bins_;
  std::int64_t count_ = 0;
};

}  // namespace dragoman
