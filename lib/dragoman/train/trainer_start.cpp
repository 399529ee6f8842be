#include "dragoman/core/concat.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/utf8.h"
#include "dragoman/run/parameters.h"
#include "dragoman/train/same_run.h"
#include "dragoman/train/trainer.h"

#include <algorithm>

namespace dragoman {

/// Sets weights and state to those of step 0, or of the checkpoint.
void Trainer::initialise(const std::optional<Checkpoint>& checkpoint,
                         const std::optional<StartFrom>& start_from) {
  state_.identity = task_.identity;
  if (start_from) load_start(*start_from);
  if (checkpoint) resume(*checkpoint);
  note_validation_text(state_.identity, task_.identity);
  note_batch_order(state_.identity, checkpoint.has_value());
}

void Trainer::load_start(const StartFrom& from) {
  const auto file = from.checkpoint / model_file;
  auto& module = workers_.model().module();
  state_.identity["start_from"] = utf8::replace_invalid(from.checkpoint.string());
  if (from.matching) {
    const auto load = load_matching_parameters(module, file);
    state_.identity["start_from_anew"] = load.kept;
    const auto message = concat(file.string(), ": loaded ", load.text());
    const bool is_most = load.taken.size() >= load.kept.size();
    log(is_most ? LogLevel::info : LogLevel::warning, message);
    auto changed = changed_model(from.checkpoint, options_);
    std::erase_if(changed, is_seen_in_shapes);
    if (!changed.empty() && !load.taken.empty())
      log_warning(concat("--init-from: the weights were trained with another ", joined(changed),
                         "; training has to adapt them"));
  } else {
    load_parameters(module, file);
    log_info(concat("starting from the weights in ", from.checkpoint.string()));
  }
  average_ = WeightAverage(workers_.weights(), options_.train.ema_decay);
}

void Trainer::resume(const Checkpoint& checkpoint) {
  load_training(checkpoint, parts(), options_.train.early_stopping_metric);
  mark_best_checkpoints(*store_, state_);
  ++state_.restarts;
  const auto ranks_before = state_.identity.value("ranks", std::int64_t{1});
  warn_of_other_shares(
      {.ranks = ranks_before, .workers = state_.identity.value("workers", share_.all)},
      {.ranks = group_.size(), .workers = share_.all}, run_dir_.string());
  // An epoch that has begun stays so: 0 would be the end of the one before it.
  if (state_.position.updates > 0)
    state_.position.updates =
        std::max<std::int64_t>(1, state_.position.updates * ranks_before / group_.size());
}

}  // namespace dragoman
