#include "dragoman/config/train_options.h"

#include "dragoman/config/require.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace dragoman {

namespace {

using options::largest_count;
using options::require;
using options::require_between;
using options::require_rate;

void validate_limits(const TrainOptions& train) {
  require_between<std::int64_t>("train.max_steps", train.max_steps, 1, largest_count);
  require_between<std::int64_t>("train.max_epochs", train.max_epochs, 0, largest_count);
  require_between("train.max_seconds", train.max_seconds, 0.0, 1e12);
  require_between<std::int64_t>("train.patience", train.patience, 0, largest_count);
  require_between<std::int64_t>("train.max_skipped", train.max_skipped, 0, largest_count);
  const bool needs_translations = train.early_stopping_metric == ValidationMetric::bleu ||
                                  train.early_stopping_metric == ValidationMetric::chrf;
  if (needs_translations && train.patience > 0 && !train.validate_translations)
    throw OptionsError(
        "train.early_stopping_metric: is taken from translations, but "
        "train.validate_translations is false; set it to true or choose loss");
}

void validate_update(const TrainOptions& train) {
  require_between<std::int64_t>("train.batch_tokens", train.batch_tokens, 1, 1 << 24);
  require_between<std::int64_t>("train.max_sentences", train.max_sentences, 0, 1 << 24);
  require_between<std::int64_t>("train.accumulate", train.accumulate, 1, 65536);
  require_between("train.clip_norm", train.clip_norm, 0.0, 1e12);
  require_rate("train.label_smoothing", train.label_smoothing);
  require_between<std::int64_t>("train.recompute_every", train.recompute_every, 1, 24);
}

void validate_optimizer(const TrainOptions& train) {
  require_rate("train.beta1", train.beta1);
  require_rate("train.beta2", train.beta2);
  require(train.adam_eps > 0.0 && train.adam_eps <= 1.0, "train.adam_eps", train.adam_eps,
          "is outside above 0 to 1", "choose a small number such as 1e-9");
  require_between("train.weight_decay", train.weight_decay, 0.0, 1.0);
  require(train.learning_rate > 0.0 && train.learning_rate <= 1e6, "train.learning_rate",
          train.learning_rate, "is outside above 0 to 1e6",
          "choose 1 for schedule noam, a rate such as 0.0005 for the others");
  const std::int64_t least_warmup = train.schedule == Schedule::constant ? 0 : 1;
  require(train.warmup_steps >= least_warmup && train.warmup_steps <= largest_count,
          "train.warmup_steps", train.warmup_steps,
          concat("is outside ", least_warmup, " to ", largest_count),
          "choose the steps until the highest rate, such as 4000, or schedule constant");
  const bool decays = train.schedule == Schedule::linear || train.schedule == Schedule::cosine;
  require(!decays || (train.decay_steps > train.warmup_steps && train.decay_steps <= largest_count),
          "train.decay_steps", train.decay_steps,
          concat("is outside ", train.warmup_steps + 1, " to ", largest_count),
          "schedules linear and cosine end there: choose the step of the last update, such as train.max_steps");
  require_rate("train.ema_decay", train.ema_decay);
}

void validate_records(const TrainOptions& train) {
  require_between<std::int64_t>("train.log_every", train.log_every, 1, largest_count);
  require_between<std::int64_t>("train.validate_every", train.validate_every, 0, largest_count);
  require_between<std::int64_t>("train.validate_sentences", train.validate_sentences, 0,
                                largest_count);
  require_between<std::int64_t>("train.checkpoint_every", train.checkpoint_every, 0,
                                largest_count);
  require_between<std::int64_t>("train.keep_checkpoints", train.keep_checkpoints, 2, 100000);
  require_between<std::int64_t>("train.workers", train.workers, 0, 1024);
}

bool is_device(std::string_view name) {
  if (name == "auto" || name == "cpu" || name == "cuda") return true;
  constexpr std::string_view numbered = "cuda:";
  if (!name.starts_with(numbered)) return false;
  name.remove_prefix(numbered.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && name.size() <= 2 && std::all_of(name.begin(), name.end(), is_digit);
}

}  // namespace

std::int64_t TrainOptions::recomputed_layers(std::int64_t layers) const {
  switch (recompute) {
    case Recompute::none: return 0;
    case Recompute::all: return 1;
    case Recompute::sqrt: return static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(layers))));
    case Recompute::every: return recompute_every;
  }
  return 0;
}

void TrainOptions::validate() const {
  validate_limits(*this);
  validate_update(*this);
  validate_optimizer(*this);
  validate_records(*this);
  require(is_device(device), "train.device", '"' + device + '"', "is no device",
          "choose auto, cpu, cuda or cuda:N with N from 0 to 99");
}

}  // namespace dragoman
