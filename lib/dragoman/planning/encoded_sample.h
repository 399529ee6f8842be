#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/corpus/pair_sample.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/data/epoch_plan.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <vector>

namespace dragoman {

/// The training text, as far as a check has read it.
struct SampledText {
  const Preflight& preflight;
  const Vocabulary& vocabulary;
  const std::vector<PairSample::Drawn>& pairs;
  bool complete = false;  ///< the pairs are the whole text
};

/// The sample as ids, and how often an epoch of the whole text contains each of its pairs.
struct EncodedSample {
  std::vector<Example> examples = {};
  std::vector<CorpusShare> shares = {};
  double pairs = 0.0;             ///< in the token store
  double too_long_pairs = 0.0;    ///< left out by `data.max_length`
  double over_ratio_pairs = 0.0;  ///< left out by `data.max_ratio`
  double pairs_per_epoch = 0.0;
  double pieces_per_epoch = 0.0;  ///< target; as `data.subword_sampling` makes them
  double ids = 0.0;               ///< of both sides, in the token store
  double flops_per_epoch = 0.0;   ///< with those pieces
};

/// Filters and encodes the sample as a training does the text. Without any example if no pair
/// passes the filters.
EncodedSample encode_sample(const RunOptions& options, const SampledText& text);

/// The longest pairs, as many as one batch takes: what needs the most memory.
std::vector<Example> longest_batch(const std::vector<Example>& examples, const TrainOptions& train);

}  // namespace dragoman
