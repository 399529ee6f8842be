#pragma once

#include "dragoman/run/loaded_run.h"
#include "dragoman/text/tokenizer.h"

#include <string>

namespace dragoman {

// The files beside model.bin in a folder of CTranslate2 that is made of a run.

/// Pieces in the order of their ids: source_vocabulary.json and its like.
std::string ctranslate2_vocabulary_text(const Tokenizer& tokenizer);

/// config.json.
std::string ctranslate2_config_text(const LoadedRun& run);

/// Tells of prefixes of texts and options of the search, which CTranslate2's caller gives it.
void note_what_ctranslate2_lacks(const LoadedRun& run);

}  // namespace dragoman
