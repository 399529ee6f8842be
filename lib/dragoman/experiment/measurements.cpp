#include "dragoman/experiment/measurements.h"

#include "dragoman/analysis/head_roles.h"
#include "dragoman/analysis/head_statistics.h"
#include "dragoman/analysis/layer_gradients.h"
#include "dragoman/analysis/pair_batches.h"
#include "dragoman/analysis/prediction_quality.h"
#include "dragoman/analysis/softmax_saturation.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/experiment/tasks/task.h"
#include "dragoman/experiment/training_log.h"
#include "dragoman/experiment/translations.h"
#include "dragoman/experiment/update_cost.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"
#include "dragoman/tensor/device.h"

#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace dragoman {

namespace {

constexpr std::int64_t fitted_pairs = 1000;  ///< of the training text, for its loss without dropout
constexpr std::size_t gradient_pairs = 100;
constexpr std::int64_t one_batch = 1 << 20;  ///< padded positions, more than those pairs have
constexpr std::int64_t initialisations = 4;  ///< for each seed, so that 5 seeds give 20
constexpr std::size_t saturation_pairs = 200;

std::span<const LinePair> first_of(const std::vector<LinePair>& pairs, std::size_t count) {
  return std::span(pairs).first(std::min(count, pairs.size()));
}

/// The model as it was before its first update, or another initialisation of it.
Transformer new_weights(const FinishedTrial& trial, std::int64_t initialisation = 0) {
  torch::manual_seed(static_cast<std::uint64_t>(trial.run.options.seed + 1000 * initialisation));
  return Transformer(trial.run.options.model, trial.run.model->vocabulary());
}

/// The numbers of the test lines; those of a task by length, so that groups of them have equal
/// shares of each.
std::vector<std::size_t> order_of_lines(const FinishedTrial& trial) {
  std::vector<std::size_t> order(trial.test.size());
  std::iota(order.begin(), order.end(), 0U);
  if (trial.task != TaskKind::none)
    std::ranges::stable_sort(order, {}, [&](std::size_t line) {
      return task_of(trial.task).length_of(trial.test[line]);
    });
  return order;
}

/// That of the run's validations.
BleuTokenizer bleu_tokenizer_of(const FinishedTrial& trial) {
  return tokenizer_named(trial.run.options.train.bleu_tokenizer_name());
}

void add_translation_quality(const FinishedTrial& trial, TrialRecord& record) {
  const double begin = process_cpu_seconds();
  const auto translations = translate_test(trial);
  const double seconds = process_cpu_seconds() - begin;
  const auto reference = targets_of(trial.test);
  using References = std::vector<std::vector<std::string>>;
  const auto order = order_of_lines(trial);
  const auto add = [&](const char* name, const auto& score) {
    const auto score_of_lines = [&](const std::vector<std::size_t>& places) {
      std::vector<std::string> some, their_reference;
      for (const auto place : places) {
        some.push_back(translations[order[place]]);
        their_reference.push_back(reference[order[place]]);
      }
      return score(some, References{their_reference}).score;
    };
    add_test_measure(name, order.size(), score_of_lines, record);
  };
  add("bleu", [tokenizer = bleu_tokenizer_of(trial)](const auto&... lines) {
    return corpus_bleu(lines..., {.tokenizer = tokenizer});
  });
  add("chrf", [](const auto&... lines) { return corpus_chrf(lines...); });
  record.values["sentences_per_cpu_second"] =
      static_cast<double>(translations.size()) / std::max(seconds, 1e-9);
}

void add_predictions(const FinishedTrial& trial, TrialRecord& record) {
  const auto quality =
      prediction_quality(trial.run.model, pair_batches(trial.run.vocabulary, trial.valid));
  const auto& calibration = quality.calibration;
  record.values["valid_nll"] = quality.nll;
  record.values["valid_accuracy"] = calibration.accuracy();
  record.values["confidence"] = calibration.confidence();
  record.values["overconfidence"] = calibration.confidence() - calibration.accuracy();
  record.values["ece"] = calibration.expected_error();
  record.reliability = calibration.table();
}

/// Of the last update: the best weights may be from before a model overfits.
void add_overfitting(const FinishedTrial& trial, TrialRecord& record) {
  const auto nll = [&](const std::vector<LinePair>& pairs) {
    return prediction_quality(trial.last.model, pair_batches(trial.last.vocabulary, pairs)).nll;
  };
  record.values["fit_nll"] = nll(trial.train_sample);
  record.values["gap"] = nll(trial.valid) - record.values["fit_nll"];
}

void add_update_cost(const FinishedTrial& trial, TrialRecord& record) {
  const auto batches =
      pair_batches(trial.run.vocabulary, trial.valid, trial.run.options.train.batch_tokens);
  const auto cost = update_cost(trial.run, batches[batches.size() / 2]);
  record.values["update_cpu_ms"] = cost.cpu_ms;
  record.values["update_memory_mb"] = cost.memory_mb;
}

std::vector<LayerGradient> layers_of(const char* stack, const std::vector<double>& initial,
                                     const std::vector<double>& trained) {
  std::vector<LayerGradient> layers;
  for (std::size_t i = 0; i < initial.size(); ++i)
    layers.push_back({.stack = stack,
                      .layer = static_cast<std::int64_t>(i) + 1,
                      .initial = initial[i],
                      .trained = trained[i]});
  return layers;
}

/// The mean over several initialisations.
GradientNorms initial_gradients(const FinishedTrial& trial, const Batch& batch) {
  auto sum = layer_gradients(new_weights(trial), batch);
  const auto add = [](std::vector<double>& all, const std::vector<double>& more) {
    std::ranges::transform(all, more, all.begin(), std::plus<>());
  };
  for (std::int64_t i = 1; i < initialisations; ++i) {
    const auto more = layer_gradients(new_weights(trial, i), batch);
    add(sum.encoder, more.encoder);
    add(sum.decoder, more.decoder);
  }
  for (auto* norms : {&sum.encoder, &sum.decoder})
    for (auto& norm : *norms) norm /= static_cast<double>(initialisations);
  return sum;
}

}  // namespace

FinishedTrial::FinishedTrial(const std::filesystem::path& folder, const TrialTexts& texts,
                             std::int64_t train_pairs)
    : run_dir(folder),
      run(load_run(folder)),
      last(load_run(folder, "latest")),
      task(texts.task),
      train_sample(first_training_pairs(
          texts, train_pairs > 0 ? std::min(train_pairs, fitted_pairs) : fitted_pairs)),
      valid(read_filled_pairs(texts.valid_source, texts.valid_target)),
      test(read_filled_pairs(texts.test_source, texts.test_target)) {}

TrialRecord measure_default(const FinishedTrial& trial) {
  auto record = read_training_log(trial.run_dir);
  record.device = device_descriptions().front();
  add_translation_quality(trial, record);
  add_predictions(trial, record);
  add_overfitting(trial, record);
  add_update_cost(trial, record);
  return record;
}

TrialRecord measure_gradients(const FinishedTrial& trial) {
  const auto batch =
      pair_batches(trial.run.vocabulary, first_of(trial.train_sample, gradient_pairs), one_batch)
          .front();
  const auto initial = initial_gradients(trial, batch);
  const auto trained = layer_gradients(trial.last.model, batch);
  TrialRecord record;
  record.gradients = layers_of("encoder", initial.encoder, trained.encoder);
  const auto decoder = layers_of("decoder", initial.decoder, trained.decoder);
  record.gradients.insert(record.gradients.end(), decoder.begin(), decoder.end());
  add_gradient_ratios(record);
  return record;
}

TrialRecord measure_saturation(const FinishedTrial& trial) {
  const auto batches = pair_batches(trial.run.vocabulary, first_of(trial.valid, saturation_pairs));
  TrialRecord record;
  record.values["saturated_initial"] = softmax_saturation(new_weights(trial), batches).share();
  record.values["saturated"] = softmax_saturation(trial.last.model, batches).share();
  return record;
}

TrialRecord measure_lengths(const FinishedTrial& trial, std::span<const std::int64_t> limits) {
  const auto in_text = scored_lines(trial);
  std::vector<ScoredLine> lines;
  for (const auto line : order_of_lines(trial)) lines.push_back(in_text[line]);
  const auto tokenizer = bleu_tokenizer_of(trial);
  auto record = record_of_sides(lines, trial.run.options.data.max_length, tokenizer);
  record.lengths = length_buckets(lines, limits, tokenizer);
  return record;
}

TrialRecord measure_answers(const FinishedTrial& trial) {
  return record_of_answers(answers_of(trial));
}

TrialRecord measure_heads(const FinishedTrial& trial,
                          std::span<const std::vector<WordPair>> relations) {
  const auto sentences = first_of(trial.valid, relations.size());
  const auto weights = relation_weights(relation_shares(trial.run, sentences, relations));
  TrialRecord record;
  for (const auto& layer : layer_summaries(head_statistics(trial.run, sentences)))
    if (layer.kind == AttentionPart::encoder)
      record.heads.push_back({.layer = layer.layer + 1,
                              .entropy = layer.entropy,
                              .distance = layer.mean_distance,
                              .neighbours = layer.neighbours,
                              .relations = weights.at(static_cast<std::size_t>(layer.layer))});
  add_layer_differences(record);
  return record;
}

}  // namespace dragoman
