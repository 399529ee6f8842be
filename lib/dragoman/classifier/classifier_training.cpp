#include "dragoman/classifier/classifier_training.h"

#include "dragoman/classifier/text_classifier.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/corpus/corpus.h"
#include "dragoman/model/classifier.h"
#include "dragoman/run/run_files.h"
#include "dragoman/train/fit.h"

#include <algorithm>
#include <set>

namespace dragoman {

namespace {

using Labels = std::vector<std::string>;

Labels labels_of(const std::vector<LinePair>& lines, const std::string& place) {
  constexpr std::size_t most = 10000;
  std::set<std::string> labels;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].target.empty())
      throw DataError(concat(place, ": line ", i + 1, ": has no label; write one on each line"));
    labels.insert(lines[i].target);
  }
  if (labels.size() < 2 || labels.size() > most)
    throw DataError(concat(place, ": has ", labels.size(), " different labels; give 2 to ", most));
  return {labels.begin(), labels.end()};
}

std::int32_t class_of(const Labels& labels, const std::string& label, const std::string& place) {
  const auto found = std::lower_bound(labels.begin(), labels.end(), label);
  if (found == labels.end() || *found != label)
    throw DataError(concat(place, ": the label ", printable(label),
                           " does not occur in the training text; remove such lines"));
  return static_cast<std::int32_t>(found - labels.begin());
}

std::vector<Example> labelled_examples(const std::vector<LinePair>& lines,
                                       const Tokenizer& tokenizer, const Labels& labels,
                                       const RunOptions& options, const std::string& place) {
  std::vector<Example> examples;
  for (const auto& line : lines)
    examples.push_back(
        {.source_ids = classifier_ids(line.source, tokenizer, options.data.max_length),
         .target_ids = {class_of(labels, line.target, place)}});
  return examples;
}

std::vector<LinePair> validation_lines(const DataOptions& data) {
  if (data.valid_source.empty()) return {};
  return read_parallel(std::vector{data.valid_source}, std::vector{data.valid_target});
}

std::vector<std::string> texts_of(const std::vector<LinePair>& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line.source);
  return texts;
}

}  // namespace

TrainingEnd train_classifier(const MonolingualRequest& request) {
  const auto& options = request.options;
  expect_fit_options(options);
  const auto lines = read_parallel(options.data.train_source, options.data.train_target);
  const auto labels = labels_of(lines, options.data.train_target.front());
  const auto tokenizer = tokenizer_of(request, texts_of(lines));
  const auto train =
      labelled_examples(lines, tokenizer, labels, options, options.data.train_target.front());
  const auto valid = labelled_examples(validation_lines(options.data), tokenizer, labels, options,
                                       options.data.valid_target);
  torch::manual_seed(static_cast<std::uint64_t>(options.seed));
  Classifier model(options.model, tokenizer.vocab_size(), std::ssize(labels));
  const LabelSmoothing smoothing{.eps = options.train.label_smoothing};
  const auto loss = [&](const Batch& batch) {
    return label_smoothed_cross_entropy(model->forward(batch.source, batch.source_mask),
                                        batch.target_output.select(1, 0), smoothing);
  };
  const auto write = [&](CheckpointWriter& writer) {
    write_model(
        writer, options, *model, joint_vocabulary(tokenizer),
        {.kind = ModelKind::classifier, .more = {{labels_key, nlohmann::json(labels).dump()}}});
  };
  return fit({*model, loss, write}, {train, valid, tokenizer.special()}, options, request.run_dir);
}

}  // namespace dragoman
