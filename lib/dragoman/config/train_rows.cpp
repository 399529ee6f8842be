#include "dragoman/config/option_rows.h"

namespace dragoman::options {

namespace {

Rows limit_rows() {
  return {
      {"train.max_steps", "updates", positive_count, "Training ends after this many updates."},
      {"train.max_epochs", "epochs", count,
       "Training ends after this many passes over the text; 0 = no limit."},
      {"train.max_seconds", "seconds", OptionRange{0, 1e12},
       "Training ends after this time, including time before a restart; 0 = no limit."},
      {"train.early_stopping_metric",
       "",
       {},
       "Validation metric that determines early stopping and the best checkpoint."},
      {"train.patience", "validations", count,
       "Training ends after this many validations (train.validate_every) without improvement; "
       "0 = never early."},
  };
}

Rows update_rows() {
  return {
      {"train.batch_tokens", "tokens", OptionRange{0, 1 << 24},
       "Size of a batch: tokens of its longer side, padding included; 0 = 4,096 on a CPU and "
       "25,000 on a GPU; a run keeps what it has begun with."},
      {"train.max_sentences", "sentences", OptionRange{0, 1 << 24},
       "Maximum number of sentences per batch, in each process; 0 = no limit."},
      {"train.accumulate", "batches", OptionRange{1, 65536},
       "Batches whose gradients are accumulated for one update."},
      {"train.clip_norm", "norm", OptionRange{0, 1e12},
       "Largest 2-norm of the whole gradient; longer ones are scaled down; 0 = off."},
      {"train.label_smoothing", "share", rate,
       "Share of the probability mass taken from the correct token (epsilon_ls).",
       "choose a share such as 0.1"},
      {"train.label_smoothing_kind",
       "",
       {},
       "How that mass is spread: uniform over all tokens, or over all but the correct one and "
       "padding."},
      {"train.consistency",
       "",
       {},
       "Make the predictions of two passes over each batch agree (two passes take about twice the "
       "time): none; rdrop, passes under different dropout; simcut, the second with some token "
       "embeddings cut off."},
      {"train.consistency_weight", "weight", OptionRange{.low = 0, .high = 1e6, .above = true},
       "Weight alpha of that agreement, a KL divergence; 5 in R-Drop's paper, 3 in SimCut's. Only "
       "for train.consistency rdrop and simcut.",
       "choose a weight such as 3, or train.consistency=none"},
      {"train.cutoff", "share", OptionRange{.low = 0, .high = 1, .above = true, .below = true},
       "Share of the source and target embeddings that are 0 in the second pass; only for "
       "train.consistency simcut.",
       "choose a share such as 0.05"},
      {"train.precision",
       "",
       {},
       "Number type of the matrix products, and on a GPU of what layers pass on; weights and "
       "optimizer stay float32. auto is bf16 where the device has instructions for it, else "
       "float32; a run keeps what it has begun with. There is no float16: bf16 has the range of "
       "float32 and needs no loss scaling. "
       "float64 is for checking numbers: weights, optimizer and checkpoints are float64, too."},
      {"train.tf32",
       "",
       {},
       "Let float32 products on a GPU round their factors to TensorFloat-32: less exact, several "
       "times as fast."},
      {"train.recompute",
       "",
       {},
       "Gradient checkpointing: of which layers activations are recomputed in the backward pass "
       "instead of kept: none, all, segments of sqrt(layers), or of recompute_every layers."},
      {"train.recompute_every", "layers", OptionRange{1, 512},
       "Layers per segment; only for train.recompute every."},
  };
}

Rows optimizer_rows() {
  return {
      {"train.beta1", "share", rate, "Adam's decay of the mean of the gradients.",
       "choose a share such as 0.9"},
      {"train.beta2", "share", rate, "Adam's decay of the mean of the squared gradients.",
       "choose a share such as 0.98"},
      {"train.adam_eps", "epsilon", OptionRange{.low = 0, .high = 1, .above = true},
       "Adam's epsilon, added to the root of the squared gradients.",
       "choose a small number such as 1e-9"},
      {"train.weight_decay", "share", OptionRange{0, 1}, "Decoupled weight decay (AdamW)."},
      {"train.schedule", "", {}, "How the learning rate changes over the updates."},
      {"train.learning_rate", "rate", OptionRange{.low = 0, .high = 1e6, .above = true},
       "For schedule noam a factor; for the others the rate at the end of the warm-up.",
       "choose 1 for schedule noam, a rate such as 0.0005 for the others"},
      {"train.warmup_steps", "updates", count,
       "Warm-up: number of updates until the learning rate peaks; 0 only for schedule constant.",
       "choose the steps until the highest rate, such as 4000"},
      {"train.decay_steps", "updates", count,
       "Update at which schedules linear and cosine reach 0; not used by the others."},
      {"train.ema_decay", "share", rate,
       "Decay of the exponential moving average of the weights, which is then validated and saved; "
       "0 = off.",
       "choose a share such as 0.999"},
      {"train.max_skipped", "updates", count,
       "Consecutive updates with a loss or gradient that is not finite or too large before "
       "training gives up."},
  };
}

Rows record_rows() {
  return {
      {"train.log_every", "updates", positive_count, "Updates between two lines of the log."},
      {"train.validate_every", "updates", count,
       "Updates between two validations; 0 = at the end of each epoch."},
      {"train.validate_translations",
       "",
       {},
       "Translate the validation text too, for BLEU and chrF."},
      {"train.validate_sentences", "lines", count,
       "Maximum number of validation lines to translate; 0 = all."},
      {"train.bleu_tokenizer",
       "",
       {},
       "How validation splits lines into tokens for BLEU, by sacreBLEU's names; zh for Chinese, "
       "char "
       "for other text without spaces."},
      {"train.checkpoint_every", "updates", count,
       "Updates between two checkpoints; 0 = at the end of each epoch."},
      {"train.keep_checkpoints", "checkpoints", OptionRange{2, 100000},
       "Newest checkpoints kept, besides the best ones."},
      {"train.tensorboard", "", {}, "Write TensorBoard event files to the run folder."},
      {"train.device", "", {}, "Where training runs: auto, cpu, cuda or cuda:N."},
      {"train.workers", "workers", OptionRange{0, 1024},
       "Workers that share an update on a CPU, each with a replica of the model; 0 = one per core, "
       "or fewer if their shares of the batch would be small or their gradients large."},
      {"train.threads", "threads", OptionRange{0, 1024},
       "Threads of each worker on a CPU; 0 = the cores that the chosen number of workers leaves, "
       "or "
       "1 if train.workers is set."},
  };
}

}  // namespace

Rows train_rows() {
  Rows rows;
  for (auto& part : {limit_rows(), update_rows(), optimizer_rows(), record_rows()})
    rows.insert(rows.end(), part.begin(), part.end());
  return rows;
}

}  // namespace dragoman::options
