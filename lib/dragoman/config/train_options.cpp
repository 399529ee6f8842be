#include "dragoman/config/train_options.h"

#include "dragoman/config/device_name.h"
#include "dragoman/config/option_table.h"
#include "dragoman/config/option_text.h"
#include "dragoman/config/require.h"
#include "dragoman/core/concat.h"

#include <cmath>

namespace dragoman {

namespace {

using options::largest_count;
using options::require;

void validate_limits(const TrainOptions& train) {
  const bool needs_translations = train.early_stopping_metric == ValidationMetric::bleu ||
                                  train.early_stopping_metric == ValidationMetric::chrf;
  if (needs_translations && train.patience > 0 && !train.validate_translations)
    throw OptionsError(
        "train.early_stopping_metric: is computed from translations, but "
        "train.validate_translations is false; set it to true or choose loss");
}

void validate_optimizer(const TrainOptions& train) {
  const std::int64_t least_warmup = train.schedule == Schedule::constant ? 0 : 1;
  require(train.warmup_steps >= least_warmup, "train.warmup_steps", train.warmup_steps,
          concat("is outside ", least_warmup, " to ", largest_count),
          "choose the steps until the highest rate, such as 4000, or schedule constant");
  require(!train.decays() || train.decay_steps > train.warmup_steps, "train.decay_steps",
          train.decay_steps,
          concat("is not above train.warmup_steps, ", train.warmup_steps,
                 ", as train.schedule linear and cosine need it"),
          "give the step at which the rate reaches its end, such as that of train.max_steps");
}

}  // namespace

std::string TrainOptions::bleu_tokenizer_name() const { return option_text(bleu_tokenizer); }

std::int64_t TrainOptions::recomputed_layers(std::int64_t layers) const {
  switch (recompute) {
    case Recompute::none: return 0;
    case Recompute::all: return 1;
    case Recompute::sqrt:
      return static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(layers))));
    case Recompute::every: return recompute_every;
  }
  return 0;
}

void TrainOptions::validate() const {
  require_ranges(nlohmann::json(*this), "train");
  validate_limits(*this);
  validate_optimizer(*this);
  require(is_device_name(device), "train.device", '"' + device + '"', "is not a device",
          "choose auto, cpu, cuda or cuda:N with N from 0 to 99");
  require(!tf32 || device != "cpu", "train.tf32", "true",
          "is for products on a GPU, and train.device is cpu",
          "set it to false, or train.device to cuda");
}

}  // namespace dragoman
