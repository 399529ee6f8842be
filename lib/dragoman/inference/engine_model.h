#pragma once

#include "dragoman/inference/engine_weights.h"
#include "dragoman/inference/inference_model.h"
#include "dragoman/kernels/packed_outputs.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace dragoman {

/// A Transformer on the CPU, without LibTorch. It computes what `model/transformer` does, for
/// models for which `engine_lacks` nothing.
class EngineModel : public InferenceModel {
 public:
  explicit EngineModel(EngineWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<InferenceWorker> make_worker(const InferenceOptions& options) const override;
  const ModelOptions& options() const override { return weights_.options; }
  bool is_on_cpu() const override { return true; }
  bool takes_shortlist() const override { return true; }
  std::string description() const override;

 private:
  EngineWeights weights_;
  mutable std::once_flag outputs_made_;
  mutable std::optional<PackedOutputs> generator_outputs_;  ///< from the first shortlist on
};

}  // namespace dragoman
