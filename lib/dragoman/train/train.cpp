#include "dragoman/train/train.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/corpus/examples.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/distributed/single.h"
#include "dragoman/model/parameter_count.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/tensor/foreign_errors.h"
#include "dragoman/tensor/tf32.h"
#include "dragoman/train/device_choices.h"
#include "dragoman/train/memory_estimate.h"
#include "dragoman/train/rank_data.h"
#include "dragoman/train/run_vocabulary.h"
#include "dragoman/train/same_run.h"
#include "dragoman/train/train_run.h"
#include "dragoman/train/training_data.h"
#include "dragoman/train/training_setup.h"
#include "dragoman/train/translation_model.h"
#include "dragoman/train/validation_translations.h"
#include "dragoman/train/worker_share.h"
#include "dragoman/translate/synthetic_files.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

/// Says what is likely to go wrong, as far as it can be seen without noticeable work.
/// \param processes of the training on this host
void warn_before_training(const RunOptions& options, const TrainingData& data, bool resumes,
                          std::int64_t processes) {
  const auto& vocabulary = data.vocabulary;
  const TrainedModel model{.parameters =
                               parameter_count(options.model, sizes_of(vocabulary)).total.total()};
  const auto memory = calculated_memory_mb(options, model, processes, longest_side(data.train));
  if (const auto warning = memory_warning(options, memory, available_memory(), processes))
    log_warning(*warning);
  if (const auto warning = resumes ? std::nullopt : missing_target_tags(options.data, vocabulary))
    log_warning(*warning);
}

/// \param data must outlive the task
TrainingTask translation_task(const RunOptions& options, const TrainingData& data,
                              const Communicator& group) {
  const auto model =
      make_model(options, sizes_of(data.vocabulary), device_of_rank(group, options.train.device));
  OutputMetrics translations;
  if (options.train.validate_translations)
    translations = ValidationTranslations(data, options, model);
  return {.model = std::make_shared<TranslationModel>(model, options, data.vocabulary),
          .examples = data.train,
          .stream = translation_stream(options, data.vocabulary, data.shares),
          .validation = Validation(
              validation_batches(data.valid.examples, options, data.vocabulary.source.special(),
                                 data.vocabulary.target.special()),
              std::move(translations)),
          .identity = data.facts};
}

/// What rank 0 chose for its device, on every rank. \param options of rank 0: with these choices
void share_choices(Communicator& group, TrainOptions& options) {
  if (group.size() == 1) return;
  const nlohmann::json own = {{"precision", options.precision},
                              {"batch_tokens", options.batch_tokens}};
  const auto chosen = nlohmann::json::parse(broadcast_text(group, own.dump()));
  chosen.at("precision").get_to(options.precision);
  chosen.at("batch_tokens").get_to(options.batch_tokens);
}

/// \param request with what is chosen for its device
void expect_resumes(const TrainRequest& request, const Checkpoint& checkpoint) {
  expect_kind(checkpoint.path, ModelKind::translation);
  expect_same_run(request.options, checkpoint, request.run_dir,
                  request.source_tokenizer || request.start_from);
  if (request.start_from)
    expect_same_origin(checkpoint, request.start_from->checkpoint, request.run_dir);
  if (const auto given = given_vocabulary(request))
    expect_same_tokenizers(load_vocabulary(checkpoint.path), *given, request.run_dir);
}

/// The part of rank 0, or of a single process: it owns the run folder.
TrainingEnd train_as_leader(const TrainRequest& asked, Communicator& group) {
  CheckpointStore store(asked.run_dir);
  store.remove_leftovers();
  const auto checkpoint = store.newest_good(Damaged::set_aside);
  auto request = asked;
  request.options = with_device_choices(asked.options, checkpoint);
  share_choices(group, request.options.train);
  if (checkpoint)
    expect_resumes(request, *checkpoint);
  else
    expect_own_translations(request.run_dir, request.options.data);
  const auto vocabulary =
      checkpoint ? load_vocabulary(checkpoint->path) : known_vocabulary(request);
  expect_validation_text(request.options.data);
  if (!checkpoint)
    for (const auto& warning : glance_at_texts(request.options.data, request.restores_text,
                                               back_translation_tags(request.options.data)))
      log_warning(warning);
  const auto data = lead_data(request, checkpoint, vocabulary, group);
  if (!checkpoint)
    for (const auto& warning : glance_at_pieces(request.options.data, data.vocabulary))
      log_warning(warning);
  warn_before_training(request.options, data, checkpoint.has_value(), group.local_size());
  if (group.size() > 1) expect_same_everywhere(group, request.options, data);
  const auto start_from = checkpoint ? std::nullopt : request.start_from;
  return train_run(request.options, translation_task(request.options, data, group), request.run_dir,
                   checkpoint, group, start_from);
}

/// The part of the other ranks: in the run folder they only read the text.
TrainingEnd train_as_follower(const TrainRequest& asked, Communicator& group) {
  auto request = asked;
  share_choices(group, request.options.train);
  const auto data = follow_data(request, group);
  expect_same_everywhere(group, request.options, data);
  return Trainer(request.options, translation_task(request.options, data, group), request.run_dir,
                 std::nullopt, group)
      .run();
}

}  // namespace

void expect_trainable(const TrainRequest& request) {
  request.options.validate();
  expect_tf32(request.options.train.tf32, device_of_rank(Single(), request.options.train.device));
  known_vocabulary(request);
  const auto& data = request.options.data;
  expect_validation_text(data);
  expect_resumable(request);
}

std::optional<Checkpoint> expect_resumable(const TrainRequest& asked) {
  expect_own_data_folder(asked);
  if (asked.run_dir.empty()) return std::nullopt;
  expect_folder_for_run(asked.run_dir);
  auto checkpoint = fs::exists(asked.run_dir / checkpoints_folder)
                        ? CheckpointStore(asked.run_dir).newest_good(Damaged::skip)
                        : std::nullopt;
  if (!checkpoint) {
    expect_own_translations(asked.run_dir, asked.options.data);
    return std::nullopt;
  }
  auto request = asked;
  request.options = with_device_choices(asked.options, checkpoint);
  expect_resumes(request, *checkpoint);
  return checkpoint;
}

TrainingEnd train(const TrainRequest& request) {
  Single alone;
  Communicator& group = request.group != nullptr ? *request.group : alone;
  try {
    request.options.validate();
    expect_own_data_folder(request);
    // Rejects what cannot be had before the text is read.
    choose_tf32(request.options.train.tf32, device_of_rank(group, request.options.train.device));
    if (group.rank() != 0) return train_as_follower(request, group);
    return in_run_folder(request.run_dir, [&] { return train_as_leader(request, group); });
  } catch (...) {
    try {
      rethrow_torch_as_error();
    } catch (const Error& error) {
      group.fail(static_cast<int>(error.exit_code()), error.what());
      throw;
    }
  }
}

}  // namespace dragoman
