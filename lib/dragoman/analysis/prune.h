#pragma once

#include "dragoman/analysis/head_place.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/loaded_run.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace dragoman {

/// The heads of a model, in the order of `attention_sublayers`.
std::vector<HeadPlace> heads_of(const ModelOptions& options);

/// `heads` in a random order determined by `seed`.
std::vector<HeadPlace> in_random_order(std::vector<HeadPlace> heads, std::uint64_t seed);

/// The number of heads in a share of `heads`, rounded to the nearest integer. \param fraction 0 to
/// 1
std::size_t count_of_share(double fraction, std::size_t heads);

/// A copy of `model` without some of its heads: their rows of W_Q, W_K and W_V and their columns of
/// W_O are removed. It computes the same as `model` with these columns set to zero (Michel, Levy
/// and Neubig 2019). An attention may lose all of its heads: its output is then the bias of W_O.
/// \param heads in any order
/// \throws OptionsError if the model has no such head, or no longer has it.
Transformer prune_heads(const TransformerImpl& model, std::span<const HeadPlace> heads);

/// Creates `out_dir` as a new run with the pruned model of `run`; its state.json lists the removed
/// heads. There is no optimizer state.
/// \throws DataError if `out_dir` is not empty; and as `prune_heads` does.
Checkpoint write_pruned_run(const LoadedRun& run, std::span<const HeadPlace> heads,
                            const std::filesystem::path& out_dir);

}  // namespace dragoman
