#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/corpus/pair_encoder.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/corpus/token_store.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The training text as ids, with a report on its preparation.
struct TrainingStore {
  TokenStore pairs;
  std::vector<CorpusReport> files;  ///< one per pair of files, in the order of `pairs`
  CorpusReport report;              ///< total over all files
};

/// Opens FOLDER/train.tokens, or builds it on all cores if it is missing, damaged, or was built
/// from another text, other tokenizers or other filters; the log says why.
/// \param options only its training files and filters are used
/// \param text the result of `identify_text` for these files
/// \throws DataError if no pair is left, if the text no longer matches `text`, and as
///     `ParallelText` and `TokenStoreWriter` do
TrainingStore open_training_store(const std::filesystem::path& folder, const DataOptions& options,
                                  const Vocabulary& vocabulary, const TextIdentity& text);

/// Whether `open_training_store` would find what it needs and build nothing.
bool holds_training_store(const std::filesystem::path& folder, const DataOptions& options,
                          const Vocabulary& vocabulary, const TextIdentity& text);

/// The SHA-256 of the tokenizer that made the ids of a side; empty if that is not recorded.
/// \param side "source" or "target"
std::string tokenizer_of(const TokenStore& pairs, std::string_view side);

}  // namespace dragoman
