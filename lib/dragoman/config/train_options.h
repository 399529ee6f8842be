#pragma once

#include "dragoman/config/enum_names.h"
#include "dragoman/core/error.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace dragoman {

/// Learning rate by step (section 5.3: noam).
enum class Schedule { noam, inverse_sqrt, linear, cosine, constant };
DRAGOMAN_ENUM_NAMES(Schedule, {{Schedule::noam, "noam"},
                               {Schedule::inverse_sqrt, "inverse_sqrt"},
                               {Schedule::linear, "linear"},
                               {Schedule::cosine, "cosine"},
                               {Schedule::constant, "constant"}})

/// Number type of the matrix products. Weights and optimizer state are float32; with `float64` they
/// are float64 as well. For `automatic`, training chooses when it begins (`chosen_precision`);
/// modules by themselves use float32.
enum class Precision { automatic, float32, bf16, float64 };
DRAGOMAN_ENUM_NAMES(Precision, {{Precision::automatic, "auto"},
                                {Precision::float32, "float32"},
                                {Precision::bf16, "bf16"},
                                {Precision::float64, "float64"}})

/// Which layers' activations an update recomputes in its backward pass instead of keeping
/// them (gradient checkpointing): of none; of all, one by one; in segments of the square root of
/// a stack's layers; in segments of `recompute_every` layers.
enum class Recompute { none, all, sqrt, every };
DRAGOMAN_ENUM_NAMES(Recompute, {{Recompute::none, "none"},
                                {Recompute::all, "all"},
                                {Recompute::sqrt, "sqrt"},
                                {Recompute::every, "every"}})

/// How the smoothed mass is spread (section 5.4): uniform over all classes, or over all but the
/// target and the padding.
enum class SmoothingKind { uniform, exclude };
DRAGOMAN_ENUM_NAMES(SmoothingKind,
                    {{SmoothingKind::uniform, "uniform"}, {SmoothingKind::exclude, "exclude"}})

/// Whether an update makes the predictions of two passes over each batch agree: not at all; of two
/// passes under independent dropout (R-Drop, Liang et al. 2021); of the batch and of the same with
/// some token embeddings cut off (SimCut, Gao et al. 2022).
enum class Consistency { none, rdrop, simcut };
DRAGOMAN_ENUM_NAMES(Consistency, {{Consistency::none, "none"},
                                  {Consistency::rdrop, "rdrop"},
                                  {Consistency::simcut, "simcut"}})

/// What early stopping and `best-METRIC` may use.
enum class ValidationMetric { loss, perplexity, accuracy, bleu, chrf };
DRAGOMAN_ENUM_NAMES(ValidationMetric, {{ValidationMetric::loss, "loss"},
                                       {ValidationMetric::perplexity, "perplexity"},
                                       {ValidationMetric::accuracy, "accuracy"},
                                       {ValidationMetric::bleu, "bleu"},
                                       {ValidationMetric::chrf, "chrf"}})

/// All of them, in the order in which they are shown.
inline constexpr std::array validation_metrics{ValidationMetric::loss, ValidationMetric::perplexity,
                                               ValidationMetric::accuracy, ValidationMetric::bleu,
                                               ValidationMetric::chrf};

/// How validation splits a line into tokens for BLEU, by sacreBLEU's names.
enum class BleuTokens { mteval_13a, intl, character, none, zh };
DRAGOMAN_ENUM_NAMES(BleuTokens, {{BleuTokens::mteval_13a, "13a"},
                                 {BleuTokens::intl, "intl"},
                                 {BleuTokens::character, "char"},
                                 {BleuTokens::none, "none"},
                                 {BleuTokens::zh, "zh"}})

/// Training (section 5).
struct TrainOptions {
  // When it ends: whichever comes first.
  std::int64_t max_steps = 100000;  ///< updates
  std::int64_t max_epochs = 0;      ///< passes over the text; 0 = no limit
  double max_seconds = 0.0;         ///< of training, restarts included; 0 = no limit
  ValidationMetric early_stopping_metric = ValidationMetric::loss;
  std::int64_t patience = 0;  ///< validations without improvement; 0 = never stop early

  // One update.
  std::int64_t batch_tokens = 0;   ///< padded positions of the longer side; 0 = chosen by
                                   ///< the device when a training begins (`chosen_batch_tokens`)
  std::int64_t max_sentences = 0;  ///< sentences of one batch; 0 = no limit
  std::int64_t accumulate = 1;     ///< batches of one update
  double clip_norm = 0.0;          ///< largest global 2-norm of the gradient; 0 = off
  double label_smoothing = 0.1;    ///< eps_ls
  SmoothingKind label_smoothing_kind = SmoothingKind::uniform;
  Consistency consistency = Consistency::none;
  double consistency_weight = 3.0;  ///< alpha of both papers; consistency only
  double cutoff = 0.05;             ///< p_cut, share of the embeddings; consistency = simcut only
  Precision precision = Precision::automatic;
  bool tf32 = false;  ///< float32 products on a GPU round their factors to TensorFloat-32
  Recompute recompute = Recompute::none;
  std::int64_t recompute_every = 2;  ///< layers of a segment; recompute = every only

  // Adam (section 5.3).
  double beta1 = 0.9;
  double beta2 = 0.98;
  double adam_eps = 1e-9;
  double weight_decay = 0.0;  ///< decoupled
  Schedule schedule = Schedule::noam;
  double learning_rate = 1.0;  ///< noam: factor; the others: the rate at the end of warm-up
  std::int64_t warmup_steps = 4000;
  std::int64_t decay_steps = 0;  ///< step at which linear and cosine reach 0; the others: unused
  double ema_decay = 0.0;        ///< exponential moving average of the weights; 0 = off

  // Stability.
  std::int64_t max_skipped =
      10;  ///< consecutive updates without a finite loss and gradient: the end

  // Records.
  std::int64_t log_every = 100;         ///< steps
  std::int64_t validate_every = 0;      ///< steps; 0 = at the end of each epoch
  bool validate_translations = true;    ///< translate the validation text: BLEU and chrF
  std::int64_t validate_sentences = 0;  ///< lines translated at most; 0 = all
  BleuTokens bleu_tokenizer = BleuTokens::mteval_13a;  ///< for the BLEU of validations
  std::int64_t checkpoint_every = 0;                   ///< steps; 0 = at the end of each epoch
  std::int64_t keep_checkpoints = 5;                   ///< last ones kept, at least 2
  bool tensorboard = false;                            ///< write TensorBoard event files

  // Where it runs.
  std::string device = "auto";  ///< auto, cpu, cuda, cuda:N
  std::int64_t workers = 0;  ///< that share an update on a CPU, each with a replica; 0 = chosen by
                             ///< cores, batch and model
  std::int64_t threads = 0;  ///< of each worker; 0 = those cores that chosen workers leave, else 1

  /// "13a": the name of `bleu_tokenizer` for `tokenizer_named` of metrics/tokenizers.h.
  std::string bleu_tokenizer_name() const;

  /// Whether the learning rate is 0 after `decay_steps`.
  bool decays() const { return schedule == Schedule::linear || schedule == Schedule::cosine; }

  /// How often an update reads each of its pairs.
  std::int64_t passes() const { return consistency == Consistency::none ? 1 : 2; }

  /// Layers that a stack of `layers` recomputes together; 0 = it keeps everything.
  std::int64_t recomputed_layers(std::int64_t layers) const;

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(
    TrainOptions, max_steps, max_epochs, max_seconds, early_stopping_metric, patience, batch_tokens,
    max_sentences, accumulate, clip_norm, label_smoothing, label_smoothing_kind, consistency,
    consistency_weight, cutoff, precision, tf32, recompute, recompute_every, beta1, beta2, adam_eps,
    weight_decay, schedule, learning_rate, warmup_steps, decay_steps, ema_decay, max_skipped,
    log_every, validate_every, validate_translations, validate_sentences, bleu_tokenizer,
    checkpoint_every, keep_checkpoints, tensorboard, device, workers, threads)

}  // namespace dragoman
