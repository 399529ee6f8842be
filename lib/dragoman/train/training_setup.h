#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/data/stream.h"
#include "dragoman/model/transformer.h"
#include "dragoman/train/label_smoothing.h"
#include "dragoman/train/training_data.h"
#include "dragoman/train/worker_share.h"

#include <cstdint>

namespace dragoman {

std::uint64_t as_seed(std::int64_t seed);

/// A model for these vocabularies with initial weights determined by `options.seed`.
Transformer make_model(const RunOptions& options, const Vocabulary& vocabulary,
                       const at::Device& device);
Transformer make_model(const RunOptions& options, const TrainingData& data,
                       const at::Device& device);

LabelSmoothing smoothing_of(const RunOptions& options, const TrainingData& data);

/// Floating-point operations per additional token on each side, in sentences of typical length.
TokenCosts token_costs(const ModelOptions& model, std::int64_t target_vocab_size);

/// The global batch is larger by a factor of the number of ranks, and divided among all workers.
StreamOptions stream_options(const RunOptions& options, const TrainingData& data,
                             const WorkerShare& share, std::int64_t ranks);
StreamOptions stream_options(const RunOptions& options, const Vocabulary& vocabulary,
                             const std::vector<CorpusShare>& shares, const WorkerShare& share,
                             std::int64_t ranks);

/// Floating-point operations of an update: three times the forward pass of each real sentence.
double update_flops(const UpdateData& update, const TransformerImpl& model);

}  // namespace dragoman
