#include "dragoman/run/run_files.h"

#include "dragoman/config/option_text.h"
#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/system_error.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/foreign_program.h"
#include "dragoman/run/manifest.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/stored_state.h"
#include "dragoman/storage/sha256.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

/// The command that reads models of this kind.
std::string_view command_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::translation: return "translate";
    case ModelKind::classifier: return "classify";
    case ModelKind::language_model: return "lm";
  }
  return {};
}

ModelKind stored_kind(const Metadata& metadata, const std::filesystem::path& checkpoint) {
  const auto stored = metadata.find(kind_key);
  if (stored == metadata.end()) return ModelKind::translation;
  for (const auto kind : {ModelKind::translation, ModelKind::classifier, ModelKind::language_model})
    if (stored->second == name_of(kind)) return kind;
  throw FormatError(concat(checkpoint.string(), ": its model is of the unknown kind ",
                           printable(stored->second, 40), "; use a newer dragoman"));
}

/// The command that makes a model of that kind.
std::string training_of(ModelKind kind) {
  return kind == ModelKind::translation ? "train" : concat(command_of(kind), " train");
}

void expect_kind(ModelKind found, ModelKind expected, const std::filesystem::path& checkpoint) {
  if (found != expected)
    throw DataError(concat(checkpoint.string(), ": its model is of the kind ", name_of(found),
                           ", not ", name_of(expected), "; use 'dragoman ", command_of(found),
                           "' for it, or a model of 'dragoman ", training_of(expected), "'"));
}

}  // namespace

void expect_kind(const std::filesystem::path& checkpoint, ModelKind kind) {
  const auto metadata = SafetensorsFile(checkpoint / model_file).metadata();
  expect_kind(stored_kind(metadata, checkpoint), kind, checkpoint);
}

bool has_checkpoints(const std::filesystem::path& folder) {
  std::error_code missing;
  return std::filesystem::is_directory(folder / checkpoints_folder, missing) &&
         !CheckpointStore(folder).list().empty();
}

std::filesystem::path model_around(const std::filesystem::path& file) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto real = fs::canonical(file, error);
  if (error || !fs::is_regular_file(real, error)) return {};
  const auto folder = real.parent_path();
  const auto name = real.filename().string();
  const auto is_any_of = [&name](std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, name) != names.end();
  };
  if (is_any_of({manifest_file, model_file, config_file, joint_file, source_file, target_file,
                 state_file, optimizer_file, validation_file}) &&
      fs::exists(folder / manifest_file, error) && fs::exists(folder / model_file, error))
    return folder;
  if (!has_checkpoints(folder)) return {};
  const bool names_checkpoint =
      (name == "latest" || name.starts_with("best-")) && read_file(real).starts_with("step-");
  return names_checkpoint || is_any_of({config_file, train_log_file, lock_name}) ? folder
                                                                                 : fs::path();
}

namespace {

ValidationMetric stopping_metric_of(const std::filesystem::path& config) try {
  return read_stored_options(config).train.early_stopping_metric;
} catch (const OptionsError& error) {
  throw OptionsError(concat(error.what(), "; without this file, the newest checkpoint is used"));
}

/// The checkpoint that reading commands use if none is named.
std::filesystem::path default_checkpoint(const std::filesystem::path& run_dir) {
  const CheckpointStore store(run_dir);
  if (std::filesystem::exists(run_dir / config_file)) {
    const auto metric = option_text(stopping_metric_of(run_dir / config_file));
    if (const auto best = store.best(metric)) return best->path;
    const auto hint = run_dir / concat("best-", metric);
    if (std::error_code missing;
        std::filesystem::exists(std::filesystem::symlink_status(hint, missing)))
      log_warning(concat(hint.string(), ": names a missing checkpoint; using the latest"));
  }
  return store.choose("latest").path;
}

std::filesystem::path find_checkpoint(const std::filesystem::path& run_dir,
                                      const std::string& which) {
  expect_no_foreign_model(run_dir);
  if (std::filesystem::exists(run_dir / model_file)) {
    if (which.empty()) return run_dir;
    throw DataError(concat(run_dir.string(), ": is a single checkpoint and has no '", which,
                           "'; give the run's folder"));
  }
  return which.empty() ? default_checkpoint(run_dir) : CheckpointStore(run_dir).choose(which).path;
}

void expect_metadata(const Metadata& metadata, const char* key, const std::string& value,
                     const std::filesystem::path& tokenizer) {
  const auto found = metadata.find(key);
  if (found != metadata.end() && found->second == value) return;
  throw FormatError(concat(tokenizer.string(), ": is not the tokenizer that the weights beside it ",
                           "were trained with; restore the checkpoint as it was written"));
}

void expect_own_tokenizers(const Metadata& metadata, const Vocabulary& vocabulary,
                           const std::filesystem::path& checkpoint) {
  expect_metadata(metadata, source_key, sha256_hex(vocabulary.source.bytes()),
                  checkpoint / (vocabulary.joint ? joint_file : source_file));
  expect_metadata(metadata, target_key, sha256_hex(vocabulary.target.bytes()),
                  checkpoint / (vocabulary.joint ? joint_file : target_file));
}

/// Verifies the model of `checkpoint`; if it is damaged and the run has another that is intact, the
/// message names that one.
Manifest verified(const std::filesystem::path& run_dir, const std::filesystem::path& checkpoint) {
  try {
    auto manifest = verify_checkpoint(checkpoint, Verification::model);
    if (!manifest.files.contains(model_file))
      throw FormatError(concat((checkpoint / manifest_file).string(), ": does not name ",
                               model_file, ", which cannot be verified"));
    return manifest;
  } catch (const Error& error) {
    const auto* of_system = dynamic_cast<const SystemError*>(&error);
    if (of_system != nullptr && !of_system->means_missing()) throw;
    for (const auto& other : CheckpointStore(run_dir).list()) {
      try {
        verify_checkpoint(other.path, Verification::model);
      } catch (const std::exception&) {
        continue;
      }
      throw FormatError(
          concat(error.what(), "; ", other.name(), " is intact: choose that checkpoint"));
    }
    throw;
  }
}

/// \param side "source" or "target"
void expect_same_pieces(const Tokenizer& tokenizer, const Tokenizer& first, const char* side,
                        const std::filesystem::path& run_dir,
                        const std::filesystem::path& first_dir) {
  if (tokenizer.bytes() == first.bytes()) return;
  throw DataError(concat(run_dir.string(), ": its ", side, " vocabulary is not that of ",
                         first_dir.string(), "; an ensemble needs runs with the same tokenizer: ",
                         "train them with the same tokenizer options and text"));
}

/// Also of a relative name.
std::filesystem::path folder_above(const std::filesystem::path& folder) {
  return std::filesystem::absolute(folder / "").lexically_normal().parent_path().parent_path();
}

void warn_of_twin(const RunFiles& run, std::span<const RunFiles> before) {
  const bool is_twin = std::ranges::any_of(before, [&run](const RunFiles& other) {
    return std::filesystem::equivalent(run.checkpoint, other.checkpoint);
  });
  if (is_twin)
    log_warning(concat(run.checkpoint.string(),
                       ": is in the ensemble already: it counts twice, and its share of the work "
                       "is done twice"));
}

}  // namespace

std::filesystem::path data_folder_of(const RunFiles& run) {
  return folder_above(run.checkpoint).parent_path() / data_folder;
}

std::string name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::translation: return "translation";
    case ModelKind::classifier: return "classifier";
    case ModelKind::language_model: return "language_model";
  }
  return {};
}

namespace {

RunFiles open_checkpoint(const std::filesystem::path& run_dir,
                         const std::filesystem::path& checkpoint, std::optional<ModelKind> kind,
                         const std::vector<std::string>& overrides, AttentionSwap swap) {
  const auto manifest = verified(run_dir, checkpoint);
  // What can throw comes before the aggregate: GCC 12 would destroy its members twice.
  auto options = override_trained(read_stored_options(checkpoint / config_file), overrides, swap);
  auto vocabulary = load_vocabulary(checkpoint);
  RunFiles files{.options = std::move(options),
                 .vocabulary = std::move(vocabulary),
                 .step = manifest.step,
                 .checkpoint = checkpoint,
                 .weights = checkpoint / model_file,
                 .content = {},
                 .metadata = {}};
  files.content = std::make_shared<const SafetensorsFile>(files.weights);
  files.metadata = files.content->metadata();
  files.kind = stored_kind(files.metadata, checkpoint);
  if (kind) expect_kind(files.kind, *kind, checkpoint);
  expect_own_tokenizers(files.metadata, files.vocabulary, checkpoint);
  return files;
}

}  // namespace

RunFiles open_run(const std::filesystem::path& run_dir, std::optional<ModelKind> kind,
                  const std::string& which, const std::vector<std::string>& overrides,
                  AttentionSwap swap) {
  for (int attempts_left = 3;; --attempts_left) {
    const auto checkpoint = find_checkpoint(run_dir, which);
    try {
      return open_checkpoint(run_dir, checkpoint, kind, overrides, swap);
    } catch (const Error&) {
      // A training that goes on may have removed it since it was found: then it has others.
      std::error_code unknown;
      if (attempts_left == 1 || std::filesystem::exists(checkpoint, unknown) || unknown) throw;
    }
  }
}

namespace {

/// Warns of the random weights with which a training began. Imported models have 0 updates, too.
void warn_if_untrained(const RunFiles& run) {
  if (run.step > 0) return;
  const auto state = find_stored_state(run.checkpoint);
  if (!state || !state->is_training() || state->identity().contains("start_from")) return;
  const auto checkpoints = folder_above(run.checkpoint);
  const bool is_in_run = checkpoints.filename() == checkpoints_folder;
  log_warning(concat(run.checkpoint.string(), ": has not been trained (0 updates), so its weights ",
                     "are random; ",
                     is_in_run ? concat("choose a later checkpoint, or train: dragoman train -o ",
                                        checkpoints.parent_path().string())
                               : "give a trained one"));
}

}  // namespace

std::vector<RunFiles> open_runs(std::span<const std::filesystem::path> run_dirs,
                                const std::string& which, const std::vector<std::string>& overrides,
                                AttentionSwap swap) {
  std::vector<RunFiles> runs;
  for (const auto& run_dir : run_dirs) {
    auto run = open_run(run_dir, ModelKind::translation, which, overrides, swap);
    if (!runs.empty()) {
      const auto& first = runs.front().vocabulary;
      expect_same_pieces(run.vocabulary.source, first.source, "source", run_dir, run_dirs.front());
      expect_same_pieces(run.vocabulary.target, first.target, "target", run_dir, run_dirs.front());
    }
    warn_if_untrained(run);
    warn_of_twin(run, runs);
    runs.push_back(std::move(run));
  }
  return runs;
}

Vocabulary load_vocabulary(const std::filesystem::path& checkpoint) {
  const auto load = [&checkpoint](const char* name) {
    return Tokenizer::from_bytes(read_regular_file(checkpoint / name),
                                 (checkpoint / name).string());
  };
  if (std::filesystem::exists(checkpoint / joint_file)) {
    const auto tokenizer = load(joint_file);
    return {.source = tokenizer, .target = tokenizer, .joint = true};
  }
  auto source = load(source_file), target = load(target_file);
  return {.source = std::move(source), .target = std::move(target), .joint = false};
}

}  // namespace dragoman
