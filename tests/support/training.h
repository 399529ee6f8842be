#pragma once

#include "dragoman/train/translation_model.h"
#include "dragoman/train/update.h"

#include <memory>
#include <random>
#include <span>

namespace test {

/// Pairs of random pieces, each with eos; lengths of 2 to 7 with eos.
inline std::vector<dragoman::Example> random_examples(std::size_t count, std::int64_t vocab_size,
                                                      std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<dragoman::Example> examples(count);
  for (auto& example : examples)
    for (auto* side : {&example.source_ids, &example.target_ids}) {
      side->resize(2 + random() % 6);
      for (auto& id : *side)
        id = static_cast<std::int32_t>(4 + random() % static_cast<std::uint64_t>(vocab_size - 4));
      side->back() = 3;
    }
  return examples;
}

/// All of them in one batch.
inline dragoman::Batch batch_of(std::span<const dragoman::Example> examples) {
  std::vector<const dragoman::Example*> all;
  for (const auto& example : examples) all.push_back(&example);
  return dragoman::make_batch(all, {}, {});
}

/// Two layers on each side, d_model 16, two heads.
inline dragoman::RunOptions small_model_options(double dropout) {
  dragoman::RunOptions options;
  options.model.d_model = 16;
  options.model.d_ff = 24;
  options.model.num_heads = 2;
  options.model.encoder_layers = options.model.decoder_layers = 2;
  options.model.dropout = dropout;
  return options;
}

/// A model with the same weights on each call.
inline dragoman::Transformer seeded_model(const dragoman::RunOptions& options,
                                          std::int64_t vocab_size,
                                          at::ScalarType type = torch::kFloat32) {
  torch::manual_seed(1);
  dragoman::Transformer model(options.model, dragoman::VocabularySizes{vocab_size, vocab_size});
  model->to(type);
  return model;
}

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
  const auto result = dragoman::update({.workers = workers, .adam = adam, .average = no_average},
                                       data, {.key = key});
  return {workers.gradient().clone(), result.sums.loss};
}

}  // namespace test
