#pragma once

#include "dragoman/train/translation_model.h"
#include "dragoman/train/update.h"

#include <memory>

namespace test {

/// The workers of a translation training that is never saved.
inline dragoman::DataParallel workers_of(const dragoman::Transformer& model,
                                         const dragoman::RunOptions& options,
                                         std::int64_t workers) {
  return {std::make_shared<dragoman::TranslationModel>(model, options), options.train,
          dragoman::WorkerPlan{.workers = workers}};
}

/// What an update computes before it changes the weights.
struct Gradient {
  at::Tensor values;  ///< [size], flat: of the mean loss per token
  dragoman::PassSums sums;
};

/// An update with a learning rate of 0: the weights stay as they are.
inline Gradient gradient_of(dragoman::DataParallel& workers, const dragoman::UpdateData& data,
                            std::uint64_t key = 1) {
  dragoman::Adam adam(workers.weights(), {});
  dragoman::WeightAverage no_average(workers.weights(), 0.0);
  const auto result = dragoman::update(workers, adam, no_average, data, {.key = key});
  return {workers.gradient().clone(), result.sums.loss};
}

}  // namespace test
