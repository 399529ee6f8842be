#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>

namespace dragoman {

/// The vocabulary that a run learns from its training files, kept in `data_dir`/vocabulary with
/// what it was learned from: a run that is killed before its first checkpoint does not learn it
/// again, nor does another one of the same text and options that shares the folder. The log warns
/// if it cannot be kept.
/// \throws as `learn_run_vocabulary` does
Vocabulary learned_vocabulary(const RunOptions& options, const TextIdentity& text,
                              const std::filesystem::path& data_dir);

/// Whether `learned_vocabulary` kept one in `data_dir`, of whatever text.
bool holds_learned_vocabulary(const std::filesystem::path& data_dir);

}  // namespace dragoman
