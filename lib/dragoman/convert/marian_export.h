#pragma once

#include "dragoman/run/loaded_run.h"

#include <filesystem>

namespace dragoman {

/// Writes a run as a folder of Marian: model.npz, decoder.yml, and vocabularies: vocab.spm where
/// the run's ids are those of its SentencePiece models, else vocab.yml with source.spm and
/// target.spm. Two files of a side begin with `source.` and `target.`. Numbers are the run's own
/// bits.
/// \throws DataError if `out_dir` is not empty or cannot be written; OptionsError naming the option
///     that Marian does not have
void export_marian(const LoadedRun& run, const std::filesystem::path& out_dir);

}  // namespace dragoman
