#pragma once

#include "dragoman/analysis/head_place.h"
#include "dragoman/storage/checkpoint_store.h"
#include "dragoman/translate/run.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace dragoman {

/// The heads that a model has, in the order of `attention_sublayers`.
std::vector<HeadPlace> heads_of(const ModelOptions& options);

/// `heads` in an order that follows from `seed`.
std::vector<HeadPlace> in_random_order(std::vector<HeadPlace> heads, std::uint64_t seed);

/// How many heads a share of `heads` is, to the nearest whole one. \param fraction 0 to 1
std::size_t count_of_share(double fraction, std::size_t heads);

/// A model without some of the heads of `model`: their rows of W_Q, W_K and W_V and their columns of
/// W_O are gone. It computes what `model` does with these columns at zero (Michel, Levy and Neubig
/// 2019). An attention may lose all of its heads: what it adds is then W_O's bias.
/// \param heads in any order
/// \throws OptionsError if the model has no such head, or not any more.
Transformer prune_heads(const TransformerImpl& model, std::span<const HeadPlace> heads);

/// Makes `out_dir` a run of its own that holds the pruned model of `run`; its state.json says which
/// heads went. There is no optimizer state.
/// \throws DataError if `out_dir` holds anything; and as `prune_heads` does.
Checkpoint write_pruned_run(const LoadedRun& run, std::span<const HeadPlace> heads,
                            const std::filesystem::path& out_dir);

}  // namespace dragoman
