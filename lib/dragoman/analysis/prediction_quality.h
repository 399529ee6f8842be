#pragma once

#include "dragoman/data/batch.h"
#include "dragoman/metrics/calibration.h"
#include "dragoman/model/transformer.h"

#include <span>

namespace dragoman {

/// How a model predicts each next piece of a text, given those before it.
struct PredictionQuality {
  double nll = 0.0;  ///< nats a piece, without label smoothing
  /// Of the most probable piece: its probability, and whether it is the text's.
  Calibration calibration;
};

/// Teacher forcing over all batches, without dropout; padding does not count.
PredictionQuality prediction_quality(Transformer model, std::span<const Batch> batches);

}  // namespace dragoman
