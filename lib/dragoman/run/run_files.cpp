#include "dragoman/run/run_files.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/quantized.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/tensor/initialisation.h"

#include <nlohmann/json.hpp>

namespace dragoman {

namespace {

constexpr const char* config_file = "config.json";
constexpr const char* joint_file = "tokenizer.model";
constexpr const char* source_file = "tokenizer.source.model";
constexpr const char* target_file = "tokenizer.target.model";

// Keys of the model file's metadata.
constexpr const char* version_key = "format_version";
constexpr const char* source_key = "source_tokenizer_sha256";
constexpr const char* target_key = "target_tokenizer_sha256";
constexpr const char* sharing_key = "share_embeddings";
constexpr const char* kind_key = "kind";  // absent = translation

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

void expect_kind(ModelKind found, ModelKind expected, const std::filesystem::path& checkpoint) {
  if (found != expected)
    throw DataError(concat(checkpoint.string(), ": its model is of the kind ", name_of(found),
                           ", not ", name_of(expected), "; use 'dragoman ", command_of(found),
                           "' for it"));
}

std::string metric_name(ValidationMetric metric) {
  return nlohmann::json(metric).get<std::string>();
}

/// The checkpoint that reading commands use if none is named.
std::filesystem::path default_checkpoint(const std::filesystem::path& run_dir) {
  const CheckpointStore store(run_dir);
  if (std::filesystem::exists(run_dir / config_file)) {
    const auto options = read_stored_options(run_dir / config_file);
    const auto metric = metric_name(options.train.early_stopping_metric);
    if (const auto best = store.best(metric)) return best->path;
    const auto hint = run_dir / concat("best-", metric);
    if (std::filesystem::exists(hint))
      log_warning(concat(hint.string(), ": names a missing checkpoint; using the latest"));
  }
  return store.choose("latest").path;
}

std::filesystem::path find_checkpoint(const std::filesystem::path& run_dir,
                                      const std::string& which) {
  if (std::filesystem::exists(run_dir / model_file)) {
    if (which.empty()) return run_dir;
    throw DataError(concat(run_dir.string(), ": is a single checkpoint and has no '", which,
                           "'; give -m the run's folder"));
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
    return verify_checkpoint(checkpoint, Verification::model);
  } catch (const FormatError& error) {
    for (const auto& other : CheckpointStore(run_dir).list()) {
      try {
        verify_checkpoint(other.path, Verification::model);
      } catch (const std::exception&) {
        continue;
      }
      throw FormatError(concat(error.what(), "; ", other.name(), " is intact: choose it with ",
                               "--checkpoint ", other.name()));
    }
    throw;
  }
}

}  // namespace

std::string name_of(ModelKind kind) {
  switch (kind) {
    case ModelKind::translation: return "translation";
    case ModelKind::classifier: return "classifier";
    case ModelKind::language_model: return "language_model";
  }
  return {};
}

RunFiles open_run(const std::filesystem::path& run_dir, std::optional<ModelKind> kind,
                  const std::string& which, const std::vector<std::string>& overrides,
                  AttentionSwap swap) {
  const auto checkpoint = find_checkpoint(run_dir, which);
  const auto manifest = verified(run_dir, checkpoint);
  RunFiles files{
      .options = override_trained(read_stored_options(checkpoint / config_file), overrides, swap),
      .vocabulary = load_vocabulary(checkpoint),
      .step = manifest.step,
      .checkpoint = checkpoint,
      .weights = checkpoint / model_file,
      .metadata = SafetensorsFile(checkpoint / model_file).metadata()};
  files.kind = stored_kind(files.metadata, checkpoint);
  if (kind) expect_kind(files.kind, *kind, checkpoint);
  expect_own_tokenizers(files.metadata, files.vocabulary, checkpoint);
  return files;
}

LoadedRun load_run(const std::filesystem::path& run_dir, const std::string& which,
                   const std::vector<std::string>& overrides, AttentionSwap swap) {
  const auto files = open_run(run_dir, ModelKind::translation, which, overrides, swap);
  LoadedRun run{.options = files.options,
                .vocabulary = files.vocabulary,
                .step = files.step,
                .checkpoint = files.checkpoint};
  const SkipInitialisation loaded_instead;
  run.model =
      Transformer(run.options.model, VocabularySizes{.source = run.vocabulary.source.vocab_size(),
                                                     .target = run.vocabulary.target.vocab_size()});
  load_parameters(*run.model, files.weights);
  run.model->eval();
  return run;
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
  return {.source = load(source_file), .target = load(target_file), .joint = false};
}

void write_model(CheckpointWriter& writer, const RunOptions& options,
                 const torch::nn::Module& model, const Vocabulary& vocabulary,
                 const ModelFile& file) {
  Metadata metadata = {
      {version_key, std::to_string(checkpoint_format_version)},
      {source_key, sha256_hex(vocabulary.source.bytes())},
      {target_key, sha256_hex(vocabulary.target.bytes())},
      {sharing_key, nlohmann::json(options.model.share_embeddings).get<std::string>()}};
  if (file.kind != ModelKind::translation) metadata[kind_key] = name_of(file.kind);
  if (file.weights != WeightType::float32)
    metadata[weight_type_key] = nlohmann::json(file.weights).get<std::string>();
  metadata.insert(file.more.begin(), file.more.end());
  write_tensors(writer, model_file, quantized(parameters_of(model), file.weights), metadata);
  writer.write(config_file, to_text(options));
  if (vocabulary.joint) {
    writer.write(joint_file, vocabulary.source.bytes());
  } else {
    writer.write(source_file, vocabulary.source.bytes());
    writer.write(target_file, vocabulary.target.bytes());
  }
}

}  // namespace dragoman
