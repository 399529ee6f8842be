#include "dragoman/planning/check.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"
#include "dragoman/core/machine.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/core/quantity.h"
#include "dragoman/corpus/pair_sample.h"
#include "dragoman/corpus/preflight.h"
#include "dragoman/corpus/training_store.h"
#include "dragoman/planning/check_warnings.h"
#include "dragoman/run/checkpoint_store.h"
#include "dragoman/run/model_file.h"
#include "dragoman/run/run_files.h"
#include "dragoman/run/run_lock.h"
#include "dragoman/tensor/device.h"
#include "dragoman/tensor/tf32.h"
#include "dragoman/train/device_choices.h"
#include "dragoman/train/rank_data.h"
#include "dragoman/train/run_vocabulary.h"
#include "dragoman/train/train.h"
#include "dragoman/train/training_data.h"
#include "dragoman/train/training_state.h"
#include "dragoman/translate/synthetic_files.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dragoman {

namespace {

constexpr std::size_t sample_pairs = 40000;

/// The sample of the training text.
struct DrawnText {
  std::vector<PairSample::Drawn> pairs = {};
  bool complete = false;
  std::int64_t all = 0;  ///< pairs in the text
};

/// The vocabulary of an existing run, or the one that a new run is given.
std::optional<Vocabulary> vocabulary_of(const TrainRequest& request,
                                        const std::optional<Checkpoint>& checkpoint) {
  return checkpoint ? load_vocabulary(checkpoint->path) : known_vocabulary(request);
}

struct LearnedVocabulary {
  Vocabulary vocabulary;
  bool from_sample = false;  ///< not from the whole text
};

/// Pieces learned from the sample; from the whole text if a sample has too little for this many.
/// \throws OptionsError, DataError as a training would
LearnedVocabulary learn_from_sample(const RunOptions& options, const DrawnText& sample) {
  if (!sample.complete)
    log_info(concat("check: learning pieces from a sample of ", grouped(std::ssize(sample.pairs)),
                    " of ", grouped(sample.all), " pairs"));
  std::vector<LinePair> pairs;
  for (const auto& drawn : sample.pairs) pairs.push_back(drawn.pair);
  if (sample.complete) return {.vocabulary = learn_run_vocabulary(options, pairs)};
  auto of_all_pieces = options;
  of_all_pieces.tokenizer.hard_vocab_limit = true;
  try {
    return {.vocabulary = learn_run_vocabulary(of_all_pieces, pairs), .from_sample = true};
  } catch (const OptionsError&) {
  }
  log_info(
      "check: the sample is too small for this many pieces: learning them from the whole text");
  return {.vocabulary = learn_run_vocabulary(options)};
}

/// Factor by which learning pieces reads more lines than the sample has.
double learning_scale(const RunOptions& options, const DrawnText& sample) {
  const double sides = options.tokenizer.joint ? 2.0 : 1.0;
  const auto most = static_cast<double>(options.tokenizer.max_sentences);
  const auto read = [&](double pairs) {
    return most > 0.0 ? std::min(sides * pairs, most) : sides * pairs;
  };
  return read(static_cast<double>(sample.all)) / read(static_cast<double>(sample.pairs.size()));
}

TrainingDone done_before(const Checkpoint& checkpoint, double updates_per_epoch) {
  const auto state = read_training_state(checkpoint.path);
  return {.updates = static_cast<double>(state.step),
          .epochs = static_cast<double>(state.position.epoch) +
                    static_cast<double>(state.position.updates) / std::max(updates_per_epoch, 1.0),
          .seconds = state.seconds};
}

/// Whether the text is there as the ids that a training would need.
bool has_encoded_text(const TrainRequest& request, const Vocabulary& vocabulary) {
  if (!request.data_dir && request.run_dir.empty()) return false;
  const auto folder = data_folder_of(request);
  if (!std::filesystem::exists(folder / token_store_file)) return false;
  const auto& data = request.options.data;
  return holds_training_store(
      folder, data, vocabulary,
      read_text_identity(data.train_source, data.train_target, folder / text_record));
}

void look_ahead(const TrainRequest& request, const std::optional<Checkpoint>& checkpoint,
                const DrawnText& sample, TrainingCheck& check) {
  const auto options = with_device_choices(request.options, checkpoint);
  const auto known = vocabulary_of(request, checkpoint);
  // A training does not need what looking at all the text has taken.
  if (!restart_peak_memory())
    log_info(
        "check: the memory includes what reading the text took, which this system cannot measure "
        "apart");
  const auto before = peak_memory_mb();
  const auto [vocabulary, from_sample] =
      known ? LearnedVocabulary{.vocabulary = *known} : learn_from_sample(options, sample);
  const auto learning = static_cast<double>(peak_memory_mb() - before);
  auto& warnings = check.texts.warnings;
  const auto warn = [&warnings](std::vector<std::string> more) {
    std::ranges::move(more, std::back_inserter(warnings));
  };
  if (!known) warn(unfilled_warnings(vocabulary, options.tokenizer.vocab_size));
  check.vocabulary =
      concat(grouped(vocabulary.target.vocab_size()), " pieces, ",
             known          ? "given"
             : !from_sample ? "learned from the text"
                            : concat("learned from ", grouped(std::ssize(sample.pairs)), " of ",
                                     grouped(sample.all), " pairs, drawn at random"));
  check.estimate = estimate_training(
      options,
      {.preflight = check.texts,
       .vocabulary = vocabulary,
       .pairs = sample.pairs,
       .complete = sample.complete},
      known ? 0.0
            : static_cast<double>(before) +
                  learning * (from_sample ? learning_scale(options, sample) : 1.0));
  if (!check.estimate->memory_fault.empty()) {
    check.texts.problems.push_back(check.estimate->memory_fault);
    check.exit_code = ExitCode::data;
  }
  if (checkpoint) {
    check.resumes = true;
    check.done = done_before(*checkpoint, check.estimate->updates_per_epoch);
  }
  // Pieces learned from a sample are not those that the ids would have to be of.
  check.disk = disk_needs(request, *check.estimate, checkpoint,
                          !from_sample && has_encoded_text(request, vocabulary));
  check.budget =
      budget_of(options.train, *check.estimate, !options.data.valid_source.empty(), check.done);
  warn(budget_warnings(options, check));
  if (checkpoint) return;
  if (auto warning = missing_target_tags(options.data, vocabulary))
    warnings.push_back(std::move(*warning));
  warn(glance_at_pieces(options.data, vocabulary));
  if (auto warning = unsplit_validation(options)) warnings.push_back(std::move(*warning));
}

/// The checkpoint that the training would resume, or why it would not.
struct Resumed {
  std::optional<Checkpoint> checkpoint;
  std::string fault;
  ExitCode exit_code = ExitCode::done;
};

Resumed resumed_by(const TrainRequest& request) {
  try {
    return {.checkpoint = expect_resumable(request), .fault = {}};
  } catch (const Error& error) {
    return {.checkpoint = {}, .fault = error.what(), .exit_code = error.exit_code()};
  }
}

/// Why a run folder cannot be locked now; empty if it can.
std::string lock_fault(const std::filesystem::path& run_dir) {
  if (run_dir.empty() || !std::filesystem::exists(run_dir / lock_name)) return {};
  try {
    const RunLock lock(run_dir);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TrainingCheck check_training(const TrainRequest& request) {
  const auto& options = request.options;
  // Rejects what cannot be had before the text is read.
  choose_tf32(options.train.tf32, find_device(options.train.device));
  const auto free_memory = available_memory();  // before any of it is used
  const auto resumed = resumed_by(request);
  log_info("check: reading the text");
  PairSample drawing(sample_pairs, static_cast<std::uint64_t>(options.seed));
  TrainingCheck check{.texts = check_texts(
                          options.data,
                          [&](std::size_t file, const LinePair& pair) { drawing.add(file, pair); },
                          back_translation_tags(options.data))};
  check.free_memory = free_memory;
  check.free_disk = free_disk(request.run_dir.empty() ? "." : request.run_dir);
  if (const auto fault = request.run_dir.empty() ? std::nullopt : folder_fault(request.run_dir))
    check.texts.problems.push_back("the run folder cannot be written: " + *fault);
  if (!check.texts.problems.empty()) check.exit_code = ExitCode::data;
  if (!resumed.fault.empty()) {
    check.exit_code = resumed.exit_code;
    check.texts.problems.push_back(resumed.fault);
  } else if (const auto fault = lock_fault(request.run_dir); !fault.empty()) {
    check.exit_code = ExitCode::data;
    check.texts.problems.push_back(fault);
  }
  if (!check.texts.problems.empty()) return check;
  DrawnText sample{.complete = drawing.complete(), .all = drawing.seen()};
  sample.pairs = std::move(drawing).take();
  try {
    if (resumed.checkpoint) expect_text_of(*resumed.checkpoint, request);
    look_ahead(request, resumed.checkpoint, sample, check);
  } catch (const Error& error) {
    check.texts.problems.emplace_back(error.what());
    check.exit_code = error.exit_code();
  }
  return check;
}

nlohmann::json TrainingCheck::json() const {
  auto out = texts.json();
  if (estimate) out["estimate"] = estimate->json();
  if (disk) {
    out["estimate"]["disk_bytes"] = disk->run.bytes;
    if (const auto& cache = disk->data_cache) {
      out["estimate"]["data_cache_bytes"] = cache->bytes;
      if (cache->free) out["free_data_cache_mb"] = *cache->free / (1 << 20);
    }
  }
  if (budget) {
    out["budget"] = budget->json();
    if (resumes) out["done_updates"] = done.updates;
  }
  if (free_memory) out["free_memory_mb"] = *free_memory / (1 << 20);
  if (free_disk) out["free_disk_mb"] = *free_disk / (1 << 20);
  out["usable"] = texts.problems.empty();
  return out;
}

}  // namespace dragoman
