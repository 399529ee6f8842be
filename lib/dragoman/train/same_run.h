#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/corpus/text_identity.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/text/tokenizer.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dragoman {

/// Warns if validations will no longer be comparable with earlier ones.
/// \param has_tokenizer whether the pieces are given: then the options by which others would have
///     been learned may change
/// \throws OptionsError naming the keys, if `now` differs from the checkpoint's configuration in
///     anything that must not change during training
void expect_same_run(const RunOptions& now, const Checkpoint& checkpoint,
                     const std::filesystem::path& run_dir, bool has_tokenizer);

/// Key of the SHA-256 of the training text in that identity.
inline constexpr const char* text_sha256_key = "train_text_sha256";

/// Key of its numbers of pairs, one for each pair of files.
inline constexpr const char* file_pairs_key = "train_file_pairs";

/// Key of the SHA-256 of the validation text.
inline constexpr const char* valid_text_sha256_key = "valid_text_sha256";

/// What a checkpoint's run is made from: `TrainingState::identity`; empty if it says nothing.
nlohmann::json identity_of_run(const Checkpoint& checkpoint);

/// The options "model.KEY" in which `now` differs from a checkpoint's configuration, so that its
/// weights, even where their shapes fit, would compute another function. Dropout does not count,
/// nor does another kind of attention that computes the same.
/// \param checkpoint its folder
std::vector<std::string> changed_model(const std::filesystem::path& checkpoint,
                                       const RunOptions& now);

/// Whether such an option decides which weights there are and their shapes, so that those that were
/// trained with another value do not fit.
bool is_seen_in_shapes(const std::string& key);

/// \param start_from the checkpoint whose weights the training is to start with
/// \throws OptionsError if the run started with others. The other run's best checkpoint may have
///     changed since.
void expect_same_origin(const Checkpoint& checkpoint, const std::filesystem::path& start_from,
                        const std::filesystem::path& run_dir);

/// \throws OptionsError if the run's tokenizers, `own`, are not the given ones
void expect_same_tokenizers(const Vocabulary& own, const Vocabulary& given,
                            const std::filesystem::path& run_dir);

/// \param identity of the checkpoint
/// \param now SHA-256 of the training text
/// \throws DataError if it was another, or if no training wrote the checkpoint
void expect_same_text(const nlohmann::json& identity, const std::string& now,
                      const std::filesystem::path& run_dir);

/// The same; the error also says which files of `data` have another number of pairs.
/// \param now of `data`
void expect_same_text(const nlohmann::json& identity, const TextIdentity& now,
                      const DataOptions& data, const std::filesystem::path& run_dir);

/// For a training whose files have weights: the same text in files of other lengths would give
/// these to other pairs. A checkpoint of an earlier version does not know the lengths, and is taken
/// as it is.
/// \param identity of the checkpoint
/// \param pairs now, of each pair of files
/// \throws DataError if they differ
void expect_same_files(const nlohmann::json& identity, const std::vector<std::int64_t>& pairs,
                       const std::filesystem::path& run_dir);

/// Records in `identity` the validation text of a training that begins or resumes; without one it
/// keeps that of the validations before. Warns if it was another.
/// \param now identity of the data that the training reads
void note_validation_text(nlohmann::json& identity, const nlohmann::json& now);

/// The processes and workers that share the work of training.
struct TrainingShares {
  std::int64_t ranks = 1;
  std::int64_t workers = 1;  ///< of all ranks
};

/// Warns if a resumed run was trained by others: its results will not be those of an uninterrupted
/// run.
void warn_of_other_shares(const TrainingShares& before, const TrainingShares& now,
                          const std::string& run_dir);

/// Records in `identity` the batch order of this version. Warns if a resumed run was started with
/// another one: it resumes, but not bit for bit.
void note_batch_order(nlohmann::json& identity, bool resumes);

}  // namespace dragoman
