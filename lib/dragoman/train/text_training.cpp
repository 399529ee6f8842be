#include "dragoman/train/text_training.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/progress.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/corpus/duplicate_filter.h"
#include "dragoman/corpus/examples.h"
#include "dragoman/distributed/single.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/storage/sha256.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/tf32.h"
#include "dragoman/text/learn_tokenizer.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/device_choices.h"
#include "dragoman/train/memory_estimate.h"
#include "dragoman/train/same_run.h"
#include "dragoman/train/train_run.h"
#include "dragoman/train/training_data.h"
#include "dragoman/train/training_setup.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dragoman {

namespace {

/// SHA-256 of all data, and where weights change if there are any.
std::string identity_of(const std::vector<Example>& examples,
                        const std::vector<CorpusShare>& shares = {}) {
  Sha256 hash;
  const auto add = [&hash](const std::vector<std::int32_t>& ids) {
    const auto size = static_cast<std::int64_t>(ids.size());
    hash.update({reinterpret_cast<const char*>(&size), sizeof size});
    hash.update({reinterpret_cast<const char*>(ids.data()), ids.size() * sizeof(std::int32_t)});
  };
  for (const auto& example : examples) add(example.source_ids), add(example.target_ids);
  for (const auto& share : shares) add({static_cast<std::int32_t>(share.end)});
  return hash.hex_digest();
}

/// \throws DataError if the checkpoint's model is of another kind; OptionsError if it was trained
///     with other options
void expect_resumes(const TextTrainRequest& request, ModelKind kind, const Checkpoint& checkpoint) {
  expect_kind(checkpoint.path, kind);
  auto options = request.options;
  options.train.validate_translations = false;  // there are none
  expect_same_run(options, checkpoint, request.run_dir, request.tokenizer.has_value());
}

}  // namespace

void expect_text_options(const RunOptions& options) {
  options.validate();
  if (options.data.subword_sampling > 0.0 || options.data.token_dropout > 0.0)
    throw OptionsError(
        "data.subword_sampling, data.token_dropout: are for 'dragoman train' only; leave them at "
        "0");
  if (options.data.max_ratio > 0.0)
    throw OptionsError(
        "data.max_ratio: is for 'dragoman train' only, since these texts have one side; leave it "
        "at 0");
  if (!options.data.source_tag.empty() || !options.data.target_tag.empty())
    throw OptionsError(
        "data.source_tag, data.target_tag: are for 'dragoman train' only, whose texts have "
        "languages; leave them out");
  if (options.train.consistency != Consistency::none)
    throw OptionsError(
        "train.consistency: is for 'dragoman train' only, whose models have a source; leave it at "
        "none");
  const auto metric = options.train.early_stopping_metric;
  if (metric == ValidationMetric::bleu || metric == ValidationMetric::chrf)
    throw OptionsError(concat("train.early_stopping_metric: ", nlohmann::json(metric).dump(),
                              " is for translations; choose loss, perplexity or accuracy"));
}

TrainingEnd train_text(TextTrainRequest request, ModelKind kind,
                       const std::function<TrainingEnd(const TextTraining&)>& train) {
  return in_run_folder(request.run_dir, [&] {
    CheckpointStore store(request.run_dir);
    store.remove_leftovers();
    auto checkpoint = store.newest_good(Damaged::set_aside);
    if (!checkpoint) expect_own_translations(request.run_dir, request.options.data);
    expect_tf32(request.options.train.tf32, find_device(request.options.train.device));
    const auto& data = request.options.data;
    for (const auto* files : {&data.train_source, &data.train_target})
      for (const auto& file : *files) expect_regular(file);
    expect_validation_text(data);
    request.options = with_device_choices(request.options, checkpoint);
    if (checkpoint) expect_resumes(request, kind, *checkpoint);
    return train({.request = request, .checkpoint = std::move(checkpoint)});
  });
}

TextFiles read_labelled_text(const DataOptions& options) {
  const auto &texts = options.train_source, &labels = options.train_target;
  if (texts.size() != labels.size())
    throw OptionsError(concat("data.train_target: ", labels.size(), " files of labels for ",
                              texts.size(), " of texts; give one for each"));
  TextFiles files;
  for (std::size_t i = 0; i < texts.size(); ++i)
    files.push_back(read_parallel(std::vector{texts[i]}, std::vector{labels[i]}));
  return files;
}

TextFiles read_text(const DataOptions& options) {
  TextFiles files;
  for (const auto& name : options.train_source) {
    auto& lines = files.emplace_back();
    for (auto& line : read_lines(name)) lines.push_back({.source = std::move(line), .target = {}});
  }
  return files;
}

TextFiles without_duplicates(TextFiles files, const DataOptions& options) {
  if (!options.drop_duplicates) return files;
  DuplicateFilter seen;
  std::size_t dropped = 0;
  for (auto& lines : files)
    dropped += std::erase_if(lines, [&seen](const LinePair& line) { return !seen.insert(line); });
  log_info(concat("training text: ", counted(static_cast<std::int64_t>(dropped), "duplicate"),
                  " left out"));
  return files;
}

Tokenizer tokenizer_of(const TextTraining& training, const TextFiles& files) {
  const auto& [request, checkpoint] = training;
  if (checkpoint) {
    auto own = load_vocabulary(checkpoint->path).source;
    if (request.tokenizer)
      expect_same_tokenizers(joint_vocabulary(own),
                             joint_vocabulary(Tokenizer::load(*request.tokenizer)),
                             request.run_dir);
    return own;
  }
  if (request.tokenizer) return Tokenizer::load(*request.tokenizer);
  const auto& options = request.options;
  std::vector<std::string> texts;
  for (const auto& lines : files)
    for (const auto& line : lines) texts.push_back(line.source);
  return Tokenizer::from_bytes(
      learn_tokenizer(texts, options.tokenizer, static_cast<std::uint64_t>(options.seed),
                      options.data.train_source.front()),
      "the learned tokenizer");
}

Vocabulary joint_vocabulary(const Tokenizer& tokenizer) {
  return {.source = tokenizer, .target = tokenizer, .joint = true};
}

TextExamples encode_text(TextFiles files, const DataOptions& options,
                         const std::function<std::vector<Example>(const LinePair&)>& encode) {
  TextExamples text;
  std::int64_t lines = 0, done = 0;
  for (const auto& file : files) lines += std::ssize(file);
  Progress progress("encoding the training text", "lines", lines);
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (auto& line : files[i]) {
      std::ranges::move(encode(line), std::back_inserter(text.examples));
      line = {};  // its memory
      progress.show(++done);
    }
    if (!options.weights.empty())
      text.shares.push_back({.end = text.examples.size(), .weight = options.weights[i]});
  }
  progress.finish();
  return text;
}

void log_long_texts(std::int64_t count, std::string_view consequence, std::int64_t longest) {
  if (count == 0) return;
  log_info(concat(counted(count, "text"), " longer than ", counted(longest, "piece"),
                  " (data.max_length): ", consequence));
}

namespace {

void warn_of_memory(const RunOptions& options, const TrainedModel& model,
                    const std::vector<Example>& examples) {
  const auto memory = calculated_memory_mb(options, model, 1, longest_side(examples));
  if (const auto warning = memory_warning(options, memory, available_memory()))
    log_warning(*warning);
}

/// \throws DataError if a checkpoint's model has other facts, such as labels
void expect_same_file(const Checkpoint& checkpoint, const ModelFile& file,
                      const std::filesystem::path& run_dir) {
  const auto stored = SafetensorsFile(checkpoint.path / model_file).metadata();
  for (const auto& [key, value] : file.more) {
    const auto before = stored.find(key);
    if (before != stored.end() && before->second == value) continue;
    throw DataError(concat(run_dir.string(), ": the run was started with other ", key,
                           "; give the same, or choose another folder"));
  }
}

}  // namespace

TrainingEnd train_text_model(const TextTraining& training, std::shared_ptr<Trainable> model,
                             const ModelFile& file, const TextExamples& train,
                             const std::vector<Example>& valid, const SpecialIds& special) {
  const auto& [request, checkpoint] = training;
  const auto& options = request.options;
  const auto& run_dir = request.run_dir;
  nlohmann::json identity = {{text_sha256_key, identity_of(train.examples, train.shares)}};
  if (!valid.empty()) identity[valid_text_sha256_key] = identity_of(valid);
  if (checkpoint) {
    expect_same_file(*checkpoint, file, run_dir);
    expect_same_text(identity_of_run(*checkpoint), identity.at(text_sha256_key), run_dir);
  }
  warn_of_memory(options, {.kind = file.kind, .parameters = parameters_in(model->module())},
                 train.examples);
  auto stream = stream_options(options, special, special);
  stream.shares = train.shares;
  Single alone;
  return train_run(options,
                   {.model = std::move(model),
                    .examples = train.examples,
                    .stream = std::move(stream),
                    .validation = Validation(validation_batches(valid, options, special, special)),
                    .identity = std::move(identity),
                    .unit = "examples"},
                   run_dir, checkpoint, alone);
}

}  // namespace dragoman
