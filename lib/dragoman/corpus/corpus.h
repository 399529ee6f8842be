#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/corpus/pair_encoder.h"
#include "dragoman/corpus/parallel_text.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A corpus as ids, in memory.
struct EncodedCorpus {
  std::vector<Example> examples;  ///< in the text's order
  CorpusReport report;
};

/// All pairs of a `ParallelText`. \throws as its members do
std::vector<LinePair> read_parallel(std::span<const std::string> sources,
                                    std::span<const std::string> targets);

/// Encodes and filters pairs with a `PairEncoder`.
/// \param place the corpus's name in messages
/// \throws DataError "PLACE: 0 of 40 pairs are usable: ..." if nothing is left.
EncodedCorpus encode_corpus(std::span<const LinePair> pairs, const Vocabulary& vocabulary,
                            const DataOptions& options, std::string_view place);

}  // namespace dragoman
