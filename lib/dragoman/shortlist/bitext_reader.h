#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/shortlist/bitext.h"
#include "dragoman/text/tokenizer.h"

#include <cstddef>
#include <filesystem>

namespace dragoman {

/// Reads the ids of a run's training text.
/// \param folder that has train.tokens, RUN_DIR/data
/// \param most_pairs kept; 0 = all
/// \throws DataError if it is missing, or was encoded with other tokenizers; FormatError if it is
///     damaged
Bitext read_training_bitext(const std::filesystem::path& folder, const Vocabulary& vocabulary,
                            std::size_t most_pairs);

/// Encodes and filters the training files of `options` as for a training.
/// \throws as `ParallelText` and `expect_kept` do
Bitext encode_bitext(const DataOptions& options, const Vocabulary& vocabulary,
                     std::size_t most_pairs);

}  // namespace dragoman
