#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/corpus/token_store.h"
#include "dragoman/text/pair_encoder.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <vector>

namespace dragoman {

/// The training text as ids, and what became of it.
struct TrainingStore {
  TokenStore pairs;
  std::vector<CorpusReport> files;  ///< one for each pair of files, in their order in `pairs`
  CorpusReport report;              ///< of all
};

/// Opens FOLDER/train.tokens, or makes it on all cores where it is missing, damaged, or made from
/// another text, other tokenizers or other filters; the log says why.
/// \param options its training files, filters and nothing else
/// \param text what `identify_text` says of these files
/// \throws DataError if no pair is left, if the text is no longer what `text` says, and as
///     `ParallelText` and `TokenStoreWriter` do
TrainingStore open_training_store(const std::filesystem::path& folder, const DataOptions& options,
                                  const Vocabulary& vocabulary, const TextIdentity& text);

}  // namespace dragoman
