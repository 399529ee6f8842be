#include "dragoman/classifier/text_classifier.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/data/batch.h"
#include "dragoman/data/buckets.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/run/parameters.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

constexpr std::int64_t batch_cells = 4096;

std::vector<std::string> stored_labels(const RunFiles& files) {
  const auto found = files.metadata.find(labels_key);
  const auto labels =
      found == files.metadata.end()
          ? nlohmann::json()
          : nlohmann::json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  const auto is_text = [](const nlohmann::json& label) { return label.is_string(); };
  if (!labels.is_array() || !std::all_of(labels.begin(), labels.end(), is_text))
    throw FormatError(concat(files.weights.string(), ": lists no labels; use a checkpoint ",
                             "as 'dragoman classify train' wrote it"));
  return labels;
}

Classification classification_of(const at::Tensor& probabilities) {
  const auto* first = probabilities.const_data_ptr<double>();
  Classification result{
      .label = 0, .probabilities = {first, first + probabilities.size(0)}, .truncated = false};
  const auto& all = result.probabilities;
  result.label = static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin());
  return result;
}

}  // namespace

ClassifierInput classifier_input(std::vector<std::int32_t> pieces, const Tokenizer& tokenizer,
                                 std::int64_t max_length) {
  const auto longest = longest_text(max_length);
  const bool truncated = std::ssize(pieces) > longest;
  if (truncated) pieces.resize(static_cast<std::size_t>(longest));
  pieces.insert(pieces.begin(), static_cast<std::int32_t>(tokenizer.special().bos));
  pieces.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return {.ids = std::move(pieces), .truncated = truncated};
}

TextClassifier::TextClassifier(Classifier model, Tokenizer tokenizer,
                               std::vector<std::string> labels, std::int64_t max_length)
    : model_(std::move(model)),
      tokenizer_(std::move(tokenizer)),
      labels_(std::move(labels)),
      max_length_(max_length) {}

TextClassifier TextClassifier::load(const std::filesystem::path& run_dir,
                                    const std::string& checkpoint) {
  const auto files = open_run(run_dir, ModelKind::classifier, checkpoint);
  auto labels = stored_labels(files);
  Classifier model(files.options.model, files.vocabulary.source.vocab_size(), std::ssize(labels));
  adopt_parameters(*model, *files.content, files.weights.string());
  model->eval();
  return {model, files.vocabulary.source, std::move(labels), files.options.data.max_length};
}

std::vector<Classification> TextClassifier::classify(std::span<const std::string> texts) const {
  std::vector<std::vector<std::int32_t>> pieces;
  for (const auto& text : texts) pieces.push_back(tokenizer_.encode(text));
  return classify(std::move(pieces));
}

std::vector<Classification> TextClassifier::classify(
    std::vector<std::vector<std::int32_t>> texts) const {
  const torch::NoGradGuard no_gradient;
  std::vector<ClassifierInput> inputs;
  std::vector<std::int64_t> lengths;
  for (auto& pieces : texts) {
    inputs.push_back(classifier_input(std::move(pieces), tokenizer_, max_length_));
    lengths.push_back(std::ssize(inputs.back().ids));
  }
  std::vector<Classification> results(texts.size());
  auto model = model_;
  for (const auto& batch : length_batches(lengths, batch_cells)) {
    std::vector<std::vector<std::int32_t>> rows;
    for (const auto i : batch) rows.push_back(inputs[i].ids);
    const auto padded = pad_rows(rows, tokenizer_.special().pad);
    const auto probabilities =
        model->forward(padded.ids, padded.mask).to(torch::kDouble).softmax(1).contiguous();
    for (std::size_t k = 0; k < batch.size(); ++k) {
      auto& result = results[batch[k]];
      result = classification_of(probabilities[static_cast<std::int64_t>(k)]);
      result.truncated = inputs[batch[k]].truncated;
    }
  }
  return results;
}

}  // namespace dragoman
