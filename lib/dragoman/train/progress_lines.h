#pragma once

#include "dragoman/train/limits.h"
#include "dragoman/train/records.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// What remains of a training run.
struct Remaining {
  std::int64_t updates = 0;            ///< until the nearer limit of steps or epochs
  std::optional<double> seconds = {};  ///< until the nearest limit; none = not known yet
};

/// The fields of the live line, the most important first: "ep 1", "320/6000 5 %", "loss 4.21",
/// "3.3k tok/s", "2m40 left", "bleu 12.3". If `train.max_seconds` is nearer than the other
/// limits the second is "step 320  5 % of 1h00".
/// \param validation newest values, empty = none yet; BLEU is shown, without it the metric of early
/// stopping
std::vector<std::string> live_fields(const TrainOptions& options, const TrainingState& state,
                                     const UpdateStatus& status, const WindowMeans& means,
                                     const Remaining& remaining, const MetricValues& validation);

/// The fields of a record of `state.window`: "ep 1", "step 320", "loss 4.212", "ppl 33.2", "3.3k
/// tok/s", "2m40 left", "lr 3.1e-04", "norm 0.91".
std::vector<std::string> record_fields(const TrainingState& state, const UpdateStatus& status,
                                       const Remaining& remaining);

/// "accuracy 41.2 %", "bleu 12.30", "ppl 31.2"
std::string metric_text(const std::string& name, double value);

/// All metrics in a fixed order: "loss 3.912  ppl 31.2  accuracy 41.2 %  bleu 12.30  chrf 35.10".
std::string metrics_text(const MetricValues& values);

/// What the last validation, after `state.step` updates, has shown: "best so far", "best bleu and
/// chrf so far; loss: 3 of 5 without improvement, best loss 3.881 at step 240".
std::string verdict_text(const TrainingState& state, const TrainOptions& options);

/// The best values: "loss 3.881  ppl 30.1 at step 240; bleu 12.30 at step 300"; empty without a
/// validation.
std::string best_text(const TrainingState& state);

/// A sample translation on three lines, each of at most `columns` columns.
std::vector<std::string> sample_lines(const SampleTranslation& sample, std::size_t columns);

}  // namespace dragoman
