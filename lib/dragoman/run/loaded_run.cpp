#include "dragoman/run/loaded_run.h"

#include "dragoman/config/option_text.h"
#include "dragoman/config/parse.h"
#include "dragoman/run/parameters.h"
#include "dragoman/run/quantized.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/tensor/initialisation.h"

namespace dragoman {

LoadedRun load_run(const RunFiles& files) {
  LoadedRun run{.options = files.options,
                .vocabulary = files.vocabulary,
                .step = files.step,
                .checkpoint = files.checkpoint};
  const SkipInitialisation loaded_instead;
  run.model =
      Transformer(run.options.model, VocabularySizes{.source = run.vocabulary.source.vocab_size(),
                                                     .target = run.vocabulary.target.vocab_size()});
  adopt_parameters(*run.model, *files.content, files.weights.string());
  run.model->eval();
  return run;
}

LoadedRun load_run(const std::filesystem::path& run_dir, const std::string& which,
                   const std::vector<std::string>& overrides, AttentionSwap swap) {
  return load_run(open_run(run_dir, ModelKind::translation, which, overrides, swap));
}

void write_model(CheckpointWriter& writer, const RunOptions& options, const NamedTensors& weights,
                 const Vocabulary& vocabulary, const ModelFile& file) {
  Metadata metadata = {{version_key, std::to_string(checkpoint_format_version)},
                       {source_key, sha256_hex(vocabulary.source.bytes())},
                       {target_key, sha256_hex(vocabulary.target.bytes())},
                       {sharing_key, option_text(options.model.share_embeddings)}};
  if (file.kind != ModelKind::translation) metadata[kind_key] = name_of(file.kind);
  if (file.weights != WeightType::float32) metadata[weight_type_key] = option_text(file.weights);
  metadata.insert(file.more.begin(), file.more.end());
  write_tensors(writer, model_file, quantized(weights, file.weights), metadata);
  writer.write(config_file, to_text(options));
  if (vocabulary.joint) {
    writer.write(joint_file, vocabulary.source.bytes());
  } else {
    writer.write(source_file, vocabulary.source.bytes());
    writer.write(target_file, vocabulary.target.bytes());
  }
}

void write_model(CheckpointWriter& writer, const RunOptions& options,
                 const torch::nn::Module& model, const Vocabulary& vocabulary,
                 const ModelFile& file) {
  write_model(writer, options, parameters_of(model), vocabulary, file);
}

}  // namespace dragoman
