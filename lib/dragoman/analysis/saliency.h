#pragma once

#include "dragoman/report/attention_map.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/example.h"

#include <ATen/core/Tensor.h>

#include <span>
#include <vector>

namespace dragoman {

/// How strongly the probability of each predicted piece depends on each piece that is read:
/// |gradient x input| of log P(piece | pieces before it, source) at the embedding of the piece
/// read, as shares that sum to 1 (the importance of "Attention is not Explanation", Jain and
/// Wallace 2019, step by step). A step on which nothing has an influence has a row of zeros.
struct Saliency {
  at::Tensor source;  ///< [target_len, source_len] float64
  at::Tensor target;  ///< [target_len, target_len] float64; columns are what is read, BOS first
};

/// \param example ids of both sides, EOS included
Saliency saliency(const LoadedRun& run, const Example& example);

/// Adds it to the maps of the decoder's self-attention and of its attention to the source.
/// \param pictures one for each of `pairs`; those with a blank target are left unchanged
void add_saliency(const LoadedRun& run, std::span<const LinePair> pairs,
                  std::vector<AttentionPicture>& pictures);

}  // namespace dragoman
