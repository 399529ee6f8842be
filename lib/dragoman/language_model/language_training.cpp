#include "dragoman/language_model/language_training.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/model/language_model.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/tensor/device.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/training_setup.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dragoman {

namespace {

ModelFile own_file() { return {.kind = ModelKind::language_model}; }

/// A language model as it is trained: each token is predicted from those before it.
class TrainableLanguageModel final : public Trainable {
 public:
  TrainableLanguageModel(LanguageModel model, RunOptions options, Tokenizer tokenizer)
      : model_(std::move(model)),
        options_(std::move(options)),
        tokenizer_(std::move(tokenizer)),
        smoothing_(smoothing_of(options_.train, tokenizer_.special().pad)) {}

  torch::nn::Module& module() override { return *model_; }

  at::Tensor forward(const Batch& batch) override {
    return model_->forward(batch.target_input).flatten(0, 1).index_select(0, batch.target_places);
  }

  Loss loss(const at::Tensor& hidden, const Batch& batch) override {
    const auto targets = batch.target_output.flatten().index_select(0, batch.target_places);
    const auto& generator = model_->generator();
    return generator_loss(hidden, generator->weight(), generator->bias(), targets, smoothing_);
  }

  void recompute(const TrainOptions& options) override {
    model_->recompute(options.recomputed_layers(options_.model.decoder_layers));
  }

  std::unique_ptr<Trainable> replica() const override {
    return std::make_unique<TrainableLanguageModel>(
        LanguageModel(options_.model, tokenizer_.vocab_size()), options_, tokenizer_);
  }

  void write(CheckpointWriter& writer, const NamedTensors& weights) const override {
    write_model(writer, options_, weights, joint_vocabulary(tokenizer_), own_file());
  }

 private:
  LanguageModel model_;
  RunOptions options_;
  Tokenizer tokenizer_;
  LabelSmoothing smoothing_;
};

}  // namespace

std::vector<Example> language_examples(const std::string& text, const Tokenizer& tokenizer,
                                       std::int64_t max_length) {
  std::vector<Example> examples;
  auto ids = tokenizer.encode(text);
  if (ids.empty()) return examples;
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  for (auto begin = ids.begin(); begin != ids.end();) {
    const bool is_last = ids.end() - begin <= max_length + 1;  // with EOS
    const auto end = is_last ? ids.end() : begin + max_length;
    examples.push_back({.source_ids = {}, .target_ids = {begin, end}});
    begin = end;
  }
  return examples;
}

namespace {

TrainingEnd train_on_text(const TextTraining& training) {
  const auto& options = training.request.options;
  const auto& files = options.data;
  auto lines = without_duplicates(read_text(files), files);
  const auto tokenizer = tokenizer_of(training, lines);
  std::int64_t divided = 0;
  const auto examples_of = [&](const std::string& text) {
    auto examples = language_examples(text, tokenizer, files.max_length);
    divided += examples.size() > 1 ? 1 : 0;
    return examples;
  };
  const auto train = encode_text(std::move(lines), files,
                                 [&](const LinePair& line) { return examples_of(line.source); });
  if (train.examples.empty())
    throw DataError(concat(files.train_source.front(), ": holds no text; give lines with words"));
  std::vector<Example> valid;
  if (!files.valid_source.empty())
    for (const auto& line : read_lines(files.valid_source))
      std::ranges::move(examples_of(line), std::back_inserter(valid));
  if (!files.valid_source.empty() && valid.empty())
    throw DataError(
        concat(files.valid_source, ": holds no text to validate on; give lines with words"));
  log_long_texts(divided, "divided into parts that are learned independently", files.max_length);
  torch::manual_seed(static_cast<std::uint64_t>(options.seed));
  LanguageModel model(options.model, tokenizer.vocab_size());
  model->to(find_device(options.train.device), weight_dtype(options.train.precision));
  return train_text_model(training,
                          std::make_shared<TrainableLanguageModel>(model, options, tokenizer),
                          own_file(), train, valid, tokenizer.special());
}

}  // namespace

TrainingEnd train_language_model(const TextTrainRequest& request) {
  expect_text_options(request.options);
  return train_text(request, ModelKind::language_model, train_on_text);
}

}  // namespace dragoman
