#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/metrics/calibration.h"
#include "dragoman/model/transformer.h"

#include <span>

namespace dragoman {

/// How well a model predicts each next piece of a text, given the previous ones.
struct PredictionQuality {
  double nll = 0.0;  ///< nats per piece, without label smoothing
  /// Calibration of the most probable piece: its probability against its being correct.
  Calibration calibration;
};

/// Teacher forcing over all batches, without dropout; padding does not count.
PredictionQuality prediction_quality(Transformer model, std::span<const Batch> batches);

}  // namespace dragoman
