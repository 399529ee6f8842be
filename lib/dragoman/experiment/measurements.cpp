#include "dragoman/experiment/measurements.h"

#include "dragoman/analysis/layer_gradients.h"
#include "dragoman/analysis/pair_batches.h"
#include "dragoman/analysis/prediction_quality.h"
#include "dragoman/analysis/softmax_saturation.h"
#include "dragoman/core/process_usage.h"
#include "dragoman/experiment/statistics.h"
#include "dragoman/experiment/training_log.h"
#include "dragoman/experiment/translations.h"
#include "dragoman/experiment/update_cost.h"
#include "dragoman/metrics/bleu.h"
#include "dragoman/metrics/chrf.h"

#include <torch/utils.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

namespace dragoman {

namespace {

constexpr std::int64_t fitted_pairs = 1000;  ///< of the training text, for its loss without dropout
constexpr std::size_t gradient_pairs = 100;
constexpr std::int64_t one_batch = 1 << 20;  ///< padded positions, more than those pairs have
constexpr std::size_t saturation_pairs = 200;

std::span<const LinePair> first_of(const std::vector<LinePair>& pairs, std::size_t count) {
  return std::span(pairs).first(std::min(count, pairs.size()));
}

/// The model as it was before its first update.
Transformer new_weights(const FinishedTrial& trial) {
  torch::manual_seed(static_cast<std::uint64_t>(trial.run.options.seed));
  return Transformer(trial.run.options.model, trial.run.model->vocabulary());
}

/// A measure of all test lines, and of the rest without each group of them.
template <typename Score>
void add_test_measure(const std::string& name, std::size_t lines, const Score& score,
                      TrialRecord& record) {
  std::vector<std::size_t> all(lines);
  std::iota(all.begin(), all.end(), 0U);
  record.values[name] = score(all);
  record.left_out[name] = leave_out_groups(lines, score);
}

std::vector<std::string> chosen(const std::vector<std::string>& lines,
                                const std::vector<std::size_t>& numbers) {
  std::vector<std::string> some;
  for (const auto number : numbers) some.push_back(lines[number]);
  return some;
}

void add_translation_quality(const FinishedTrial& trial, TrialRecord& record) {
  const double begin = process_cpu_seconds();
  const auto translations = translate_test(trial);
  const double seconds = process_cpu_seconds() - begin;
  const auto reference = targets_of(trial.test);
  using Lines = std::vector<std::size_t>;
  const auto bleu = [&](const Lines& lines) {
    return corpus_bleu(chosen(translations, lines), {chosen(reference, lines)}).score;
  };
  const auto chrf = [&](const Lines& lines) {
    return corpus_chrf(chosen(translations, lines), {chosen(reference, lines)}).score;
  };
  add_test_measure("bleu", reference.size(), bleu, record);
  add_test_measure("chrf", reference.size(), chrf, record);
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
  const auto fit =
      prediction_quality(trial.run.model, pair_batches(trial.run.vocabulary, trial.train_sample));
  record.values["fit_nll"] = fit.nll;
  record.values["gap"] = quality.nll - fit.nll;
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

std::vector<LengthAnswers> answers_by_length(const std::vector<Answer>& answers) {
  std::map<std::int64_t, std::vector<double>> right;
  for (const auto& answer : answers) right[answer.length].push_back(answer.right ? 1.0 : 0.0);
  std::vector<LengthAnswers> lengths;
  for (const auto& [length, values] : right) {
    const auto sample = sample_of(values);
    lengths.push_back({.length = length, .lines = sample.count, .right = sample.mean});
  }
  return lengths;
}

/// The first layer's norm divided by the last one's.
double ratio_of(const std::vector<double>& norms) {
  return norms.back() > 0.0 ? norms.front() / norms.back() : 0.0;
}

}  // namespace

FinishedTrial::FinishedTrial(const std::filesystem::path& folder, const TrialTexts& texts)
    : run_dir(folder),
      run(load_run(folder)),
      task(texts.task),
      train_sample(first_training_pairs(texts, fitted_pairs)),
      valid(read_filled_pairs(texts.valid_source, texts.valid_target)),
      test(read_filled_pairs(texts.test_source, texts.test_target)) {}

TrialRecord measure_default(const FinishedTrial& trial) {
  auto record = read_training_log(trial.run_dir);
  add_translation_quality(trial, record);
  add_predictions(trial, record);
  add_update_cost(trial, record);
  return record;
}

TrialRecord measure_gradients(const FinishedTrial& trial) {
  const auto batch =
      pair_batches(trial.run.vocabulary, first_of(trial.train_sample, gradient_pairs), one_batch)
          .front();
  const auto initial = layer_gradients(new_weights(trial), batch);
  const auto trained = layer_gradients(trial.run.model, batch);
  TrialRecord record;
  record.gradients = layers_of("encoder", initial.encoder, trained.encoder);
  const auto decoder = layers_of("decoder", initial.decoder, trained.decoder);
  record.gradients.insert(record.gradients.end(), decoder.begin(), decoder.end());
  record.values["gradient_ratio_initial"] = ratio_of(initial.encoder);
  record.values["gradient_ratio"] = ratio_of(trained.encoder);
  return record;
}

TrialRecord measure_saturation(const FinishedTrial& trial) {
  const auto batches = pair_batches(trial.run.vocabulary, first_of(trial.valid, saturation_pairs));
  TrialRecord record;
  record.values["saturated_initial"] = softmax_saturation(new_weights(trial), batches).share();
  record.values["saturated"] = softmax_saturation(trial.run.model, batches).share();
  return record;
}

TrialRecord measure_lengths(const FinishedTrial& trial, std::span<const std::int64_t> limits) {
  const auto measured = measure_by_length(trial, limits);
  const std::array trained = {trial.run.options.data.max_length};
  const auto sides = measure_by_length(trial, trained);
  TrialRecord record;
  record.lengths = measured;
  record.values["bleu_within"] = sides.front().bleu;
  record.values["nll_within"] = sides.front().nll;
  if (sides.back().sentences == 0) return record;
  record.values["bleu_beyond"] = sides.back().bleu;
  record.values["nll_beyond"] = sides.back().nll;
  return record;
}

TrialRecord measure_answers(const FinishedTrial& trial) {
  const auto answers = answers_of(trial);
  TrialRecord record;
  record.answers = answers_by_length(answers);
  const auto add = [&](const char* name, std::int64_t shortest, std::int64_t longest) {
    std::vector<double> right;
    for (const auto& answer : answers)
      if (answer.length >= shortest && answer.length <= longest)
        right.push_back(answer.right ? 1.0 : 0.0);
    const auto share = [&](const std::vector<std::size_t>& lines) {
      double sum = 0.0;
      for (const auto line : lines) sum += right[line];
      return sum / static_cast<double>(lines.size());
    };
    add_test_measure(name, right.size(), share, record);
  };
  const auto shortest = record.answers.front().length, longest = record.answers.back().length;
  add("answers", shortest, longest);
  add("answers_shortest", shortest, shortest);
  add("answers_longest", longest, longest);
  return record;
}

}  // namespace dragoman
