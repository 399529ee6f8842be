#include "dragoman/classifier/classifier_training.h"

#include "dragoman/classifier/text_classifier.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/model/classifier.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/tensor/device.h"
#include "dragoman/train/training_setup.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace dragoman {

namespace {

using Labels = std::vector<std::string>;

Labels labels_of(const TextFiles& files, const std::vector<std::string>& places) {
  constexpr std::size_t most = 10000;
  std::set<std::string> labels;
  for (std::size_t file = 0; file < files.size(); ++file)
    for (std::size_t i = 0; i < files[file].size(); ++i) {
      const auto& label = files[file][i].target;
      if (label.empty())
        throw DataError(
            concat(places[file], ": line ", i + 1, ": has no label; write one on each line"));
      labels.insert(label);
    }
  if (labels.size() < 2 || labels.size() > most)
    throw DataError(concat(places.front(), ": has ", counted(std::ssize(labels), "different label"),
                           "; give 2 to ", most));
  return {labels.begin(), labels.end()};
}

/// None if the training text does not have the label.
std::optional<std::int32_t> class_of(const Labels& labels, const std::string& label) {
  const auto found = std::lower_bound(labels.begin(), labels.end(), label);
  if (found == labels.end() || *found != label) return std::nullopt;
  return static_cast<std::int32_t>(found - labels.begin());
}

std::vector<LinePair> validation_lines(const DataOptions& data, const Labels& labels) {
  if (data.valid_source.empty()) return {};
  auto lines = read_parallel(std::vector{data.valid_source}, std::vector{data.valid_target});
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!class_of(labels, lines[i].target))
      throw DataError(concat(data.valid_target, ": line ", i + 1, ": the label ",
                             printable(lines[i].target),
                             " does not occur in the training text; remove the line, or add "
                             "training text with this label"));
  return lines;
}

ModelFile file_of(const Labels& labels) {
  return {.kind = ModelKind::classifier, .more = {{labels_key, nlohmann::json(labels).dump()}}};
}

/// A classifier as it is trained: the target of a text is its class.
class TrainableClassifier final : public Trainable {
 public:
  TrainableClassifier(Classifier model, RunOptions options, Tokenizer tokenizer, Labels labels)
      : model_(std::move(model)),
        options_(std::move(options)),
        tokenizer_(std::move(tokenizer)),
        labels_(std::move(labels)),
        smoothing_{.eps = options_.train.label_smoothing} {}

  torch::nn::Module& module() override { return *model_; }

  /// \return logits [batch, classes]
  at::Tensor forward(const Batch& batch) override {
    return model_->forward(batch.source, batch.source_mask);
  }

  Loss loss(const at::Tensor& logits, const Batch& batch) override {
    return label_smoothed_cross_entropy(logits, batch.target_output.select(1, 0), smoothing_);
  }

  void recompute(const TrainOptions& options) override {
    model_->recompute(options.recomputed_layers(options_.model.encoder_layers));
  }

  std::unique_ptr<Trainable> replica() const override {
    return std::make_unique<TrainableClassifier>(
        Classifier(options_.model, tokenizer_.vocab_size(), std::ssize(labels_)), options_,
        tokenizer_, labels_);
  }

  void write(CheckpointWriter& writer, const NamedTensors& weights) const override {
    write_model(writer, options_, weights, joint_vocabulary(tokenizer_), file_of(labels_));
  }

 private:
  Classifier model_;
  RunOptions options_;
  Tokenizer tokenizer_;
  Labels labels_;
  LabelSmoothing smoothing_;
};

TrainingEnd train_on_labels(const TextTraining& training) {
  const auto& options = training.request.options;
  if (options.train.label_smoothing_kind != SmoothingKind::uniform && !training.checkpoint)
    throw OptionsError(
        "train.label_smoothing_kind: exclude is for vocabularies with padding, which labels do not "
        "have; leave it at uniform");
  const auto& files = options.data;
  auto text = read_labelled_text(files);
  const auto labels = labels_of(text, files.train_target);
  const auto held_out = validation_lines(files, labels);
  auto lines = without_duplicates(std::move(text), files);
  const auto tokenizer = tokenizer_of(training, lines);
  std::int64_t truncated = 0;
  const auto example = [&](const LinePair& line) {
    auto input = classifier_input(tokenizer.encode(line.source), tokenizer, files.max_length);
    truncated += input.truncated ? 1 : 0;
    return Example{.source_ids = std::move(input.ids),
                   .target_ids = {*class_of(labels, line.target)}};
  };
  const auto train = encode_text(std::move(lines), files,
                                 [&](const LinePair& line) { return std::vector{example(line)}; });
  std::vector<Example> valid;
  for (const auto& line : held_out) valid.push_back(example(line));
  log_long_texts(truncated, "their ends are left out", longest_text(files.max_length));
  torch::manual_seed(static_cast<std::uint64_t>(options.seed));
  Classifier model(options.model, tokenizer.vocab_size(), std::ssize(labels));
  model->to(find_device(options.train.device), weight_dtype(options.train.precision));
  return train_text_model(training,
                          std::make_shared<TrainableClassifier>(model, options, tokenizer, labels),
                          file_of(labels), train, valid, tokenizer.special());
}

}  // namespace

TrainingEnd train_classifier(const TextTrainRequest& request) {
  expect_text_options(request.options);
  return train_text(request, ModelKind::classifier, train_on_labels);
}

}  // namespace dragoman
