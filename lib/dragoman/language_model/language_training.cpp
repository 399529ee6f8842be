#include "dragoman/language_model/language_training.h"

#include "dragoman/core/error.h"
#include "dragoman/model/language_model.h"
#include "dragoman/run/run_files.h"
#include "dragoman/text/lines.h"
#include "dragoman/train/fit.h"

#include <algorithm>

namespace dragoman {

namespace {

std::vector<std::string> lines_of(const std::vector<std::string>& files) {
  std::vector<std::string> lines;
  for (const auto& file : files) {
    auto more = read_lines(file);
    lines.insert(lines.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
  }
  return lines;
}

/// The loss of all real targets of a batch.
Loss language_loss(LanguageModel& model, const Batch& batch, const LabelSmoothing& smoothing) {
  const auto rows = batch.target_mask.flatten().nonzero().squeeze(1);
  const auto hidden = model->forward(batch.target_input).flatten(0, 1).index_select(0, rows);
  const auto targets = batch.target_output.flatten().index_select(0, rows);
  const auto& generator = model->generator();
  return generator_loss(hidden, generator->weight(), generator->bias(), targets, smoothing);
}

}  // namespace

std::vector<Example> language_examples(const std::vector<std::string>& texts,
                                       const Tokenizer& tokenizer, std::int64_t max_length) {
  std::vector<Example> examples;
  for (const auto& text : texts) {
    auto ids = tokenizer.encode(text);
    if (ids.empty()) continue;
    ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
    for (auto begin = ids.begin(); begin != ids.end();) {
      const auto end = begin + std::min<std::ptrdiff_t>(max_length, ids.end() - begin);
      examples.push_back({.source_ids = {}, .target_ids = {begin, end}});
      begin = end;
    }
  }
  return examples;
}

TrainingEnd train_language_model(const MonolingualRequest& request) {
  const auto& options = request.options;
  expect_fit_options(options);
  const auto texts = lines_of(options.data.train_source);
  const auto tokenizer = tokenizer_of(request, texts);
  const auto train = language_examples(texts, tokenizer, options.data.max_length);
  if (train.empty())
    throw DataError(
        concat(options.data.train_source.front(), ": holds no text; give lines with words"));
  std::vector<std::string> valid_texts;
  if (!options.data.valid_source.empty()) valid_texts = read_lines(options.data.valid_source);
  const auto valid = language_examples(valid_texts, tokenizer, options.data.max_length);
  torch::manual_seed(static_cast<std::uint64_t>(options.seed));
  LanguageModel model(options.model, tokenizer.vocab_size());
  const LabelSmoothing smoothing{.eps = options.train.label_smoothing,
                                 .kind = options.train.label_smoothing_kind,
                                 .pad = tokenizer.special().pad};
  const auto loss = [&](const Batch& batch) { return language_loss(model, batch, smoothing); };
  const auto write = [&](CheckpointWriter& writer) {
    write_model(writer, options, *model, joint_vocabulary(tokenizer),
                {.kind = ModelKind::language_model});
  };
  return fit({*model, loss, write}, {train, valid, tokenizer.special()}, options, request.run_dir);
}

}  // namespace dragoman
