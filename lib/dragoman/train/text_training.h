#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/train/trainer.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The inputs of training a model of texts that have no translation: a classifier or a language
/// model. The configuration's `data.train_source` names the texts, `data.train_target` their
/// labels, line by line; for a language model both name the texts. `data.valid_source` and
/// `data.valid_target` likewise.
struct TextTrainRequest {
  RunOptions options;
  std::filesystem::path run_dir;
  std::optional<std::filesystem::path> tokenizer = {};  ///< instead of learning one
};

/// A training of texts whose run folder is locked.
struct TextTraining {
  TextTrainRequest request;              ///< with what `with_device_choices` chose
  std::optional<Checkpoint> checkpoint;  ///< to resume from
};

/// Calls `train` with the run folder locked, so that no other process prepares the same run.
/// \throws OptionsError if the folder contains a run with another configuration, naming the keys;
///     DataError if its model is of another kind; and what `in_run_folder` throws
TrainingEnd train_text(TextTrainRequest request, ModelKind kind,
                       const std::function<TrainingEnd(const TextTraining&)>& train);

/// \throws OptionsError naming an option that only translation has, if it is set: other pieces for
///     the same text, limits on the ratio of lengths, metrics of translations
void expect_text_options(const RunOptions& options);

/// The lines of each training file.
using TextFiles = std::vector<std::vector<LinePair>>;
TextFiles read_labelled_text(const DataOptions& options);
TextFiles read_text(const DataOptions& options);  ///< each line as `source`

/// Without those that occurred before, if `data.drop_duplicates`; the log counts them.
TextFiles without_duplicates(TextFiles files, const DataOptions& options);

/// The tokenizer of the run that resumes, else the one named in the request, else one learned from
/// the sources.
/// \throws DataError, FormatError, OptionsError as `Tokenizer::load` and `learn_tokenizer` do
Tokenizer tokenizer_of(const TextTraining& training, const TextFiles& files);

/// The same tokenizer for both sides, as a checkpoint stores it.
Vocabulary joint_vocabulary(const Tokenizer& tokenizer);

/// Texts as ids, and how often an epoch contains those of each file (`data.weights`).
struct TextExamples {
  std::vector<Example> examples;
  std::vector<CorpusShare> shares;
};

/// \param encode the examples of a line
TextExamples encode_text(TextFiles files, const DataOptions& options,
                         const std::function<std::vector<Example>(const LinePair&)>& encode);

/// Logs how many texts are longer than `longest` pieces, which data.max_length allows, unless none
/// is. \param consequence what happens to them
void log_long_texts(std::int64_t count, std::string_view consequence, std::int64_t longest);

/// Trains `model` on `train` into the request's folder, with validation on `valid`; a run that is
/// there resumes. One process.
/// \param file what the model writes beside its weights
/// \throws DataError if the run's text, or what is in `file`, differs; and what `Trainer` throws
TrainingEnd train_text_model(const TextTraining& training, std::shared_ptr<Trainable> model,
                             const ModelFile& file, const TextExamples& train,
                             const std::vector<Example>& valid, const SpecialIds& special);

}  // namespace dragoman
