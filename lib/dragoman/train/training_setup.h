#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/data/stream.h"
#include "dragoman/model/transformer.h"
#include "dragoman/train/training_data.h"
#include "dragoman/train/worker_share.h"

#include <c10/core/Device.h>

#include <cstdint>
#include <vector>

namespace dragoman {

/// The type of a training's weights: float64 for `Precision::float64`, else float32.
at::ScalarType weight_dtype(Precision precision);

/// A model for this vocabulary with initial weights determined by `options.seed`, of the type that
/// `options.train.precision` says.
Transformer make_model(const RunOptions& options, const VocabularySizes& vocabulary,
                       const at::Device& device);

VocabularySizes sizes_of(const Vocabulary& vocabulary);

/// Floating-point operations per additional token on each side, in sentences of typical length.
TokenCosts token_costs(const ModelOptions& model, std::int64_t target_vocab_size);

/// The stream of one process with one worker, for any model.
StreamOptions stream_options(const RunOptions& options, const SpecialIds& source_special,
                             const SpecialIds& target_special);

/// This rank's part of the stream: the global batch is larger by a factor of the number of ranks,
/// and divided among all workers.
/// \param device that the batches go to: those for a GPU are pinned
StreamOptions shared_stream(StreamOptions stream, const WorkerShare& share, std::int64_t ranks,
                            const c10::Device& device);

/// Floating-point operations of all forward passes of an update over a pair.
PairFlops update_flops(const RunOptions& options, std::int64_t target_vocab_size);

/// Makes the stream divide batches by the cost of their pairs, and count their FLOPs.
void count_costs(StreamOptions& stream, const RunOptions& options, std::int64_t target_vocab_size);

/// The stream of a translation training: augmented, its batches divided by cost, its FLOPs counted.
StreamOptions translation_stream(const RunOptions& options, const Vocabulary& vocabulary,
                                 const std::vector<CorpusShare>& shares);

}  // namespace dragoman
