#pragma once

#include "dragoman/inference/engine_weights.h"
#include "dragoman/inference/inference_model.h"

#include <memory>

namespace dragoman {

/// A Transformer on the CPU, without LibTorch. It computes what `model/transformer` does, for
/// models for which `engine_lacks` nothing.
class EngineModel : public InferenceModel {
 public:
  explicit EngineModel(EngineWeights weights) : weights_(std::move(weights)) {}

  std::unique_ptr<InferenceWorker> make_worker(const InferenceOptions& options) const override;
  const ModelOptions& options() const override { return weights_.options; }
  bool is_on_cpu() const override { return true; }
  std::string description() const override;

 private:
  EngineWeights weights_;
};

}  // namespace dragoman
