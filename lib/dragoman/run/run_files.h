#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/run/attention_swap.h"
#include "dragoman/run/model_file.h"
#include "dragoman/storage/safetensors.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The kind of model that a run's weights belong to.
enum class ModelKind { translation, classifier, language_model };

/// A verified checkpoint without its weights.
struct RunFiles {
  RunOptions options;
  Vocabulary vocabulary;
  std::int64_t step = 0;                           ///< updates done
  std::filesystem::path checkpoint;                ///< the folder it was read from
  std::filesystem::path weights;                   ///< its model.safetensors
  std::shared_ptr<const SafetensorsFile> content;  ///< of that file, whatever becomes of its name
  Metadata metadata;                               ///< of that file
  ModelKind kind = ModelKind::translation;
};

/// Where a run that is open keeps its training text as ids: RUN_DIR/data.
std::filesystem::path data_folder_of(const RunFiles& run);

/// "translation", "classifier" or "language_model".
std::string name_of(ModelKind kind);

/// \throws DataError if a checkpoint's model is of another kind
void expect_kind(const std::filesystem::path& checkpoint, ModelKind kind);

/// Whether a folder has checkpoints, as run folders have.
bool has_checkpoints(const std::filesystem::path& folder);

/// The run or the checkpoint that an existing file is part of: its model, configuration, log, or
/// the name of a checkpoint; empty if it is of none.
std::filesystem::path model_around(const std::filesystem::path& file);

/// Opens one checkpoint of a run, verified. Where a training that goes on has removed it meanwhile,
/// it is chosen again.
/// \param run_dir what 'dragoman train' wrote, or one checkpoint folder by itself
/// \param kind of model that it must have; none = any
/// \param which "latest" (the newest good one), "best-bleu", "step-00001200", or empty: the best by
///     the run's own `train.early_stopping_metric`, else the newest good one
/// \param overrides as `override_trained` takes them, with `swap`
/// \throws DataError if there is no such checkpoint; FormatError if it is damaged, of a newer
///     version, or if weights, configuration and tokenizers do not belong together; OptionsError
///     as `override_trained` does.
RunFiles open_run(const std::filesystem::path& run_dir, std::optional<ModelKind> kind,
                  const std::string& which = "", const std::vector<std::string>& overrides = {},
                  AttentionSwap swap = AttentionSwap::equal);

/// Opens runs whose models are to be used as an ensemble.
/// \param run_dirs at least one; the other parameters are those of `open_run`
/// \throws DataError if one has another vocabulary than the first; else as `open_run`
std::vector<RunFiles> open_runs(std::span<const std::filesystem::path> run_dirs,
                                const std::string& which = "",
                                const std::vector<std::string>& overrides = {},
                                AttentionSwap swap = AttentionSwap::equal);

/// The tokenizers of a checkpoint: tokenizer.model, or tokenizer.source.model and
/// tokenizer.target.model.
/// \throws DataError if they are missing; FormatError if they are damaged.
Vocabulary load_vocabulary(const std::filesystem::path& checkpoint);

}  // namespace dragoman
