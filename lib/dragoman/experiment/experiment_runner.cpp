#include "dragoman/experiment/experiment_runner.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/experiment/measure_trial.h"
#include "dragoman/experiment/prepared_text.h"
#include "dragoman/experiment/text_record.h"
#include "dragoman/experiment/training_log.h"
#include "dragoman/run/run_files.h"
#include "dragoman/train/train.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace dragoman {

namespace {

/// Whether results of `kept` have everything that `wanted` requests.
bool measured_alike(const Experiment& kept, const Experiment& wanted) {
  return (!wanted.measures("lengths") || kept.length_limits == wanted.length_limits) &&
         std::ranges::all_of(wanted.measure,
                             [&](const std::string& part) { return kept.measures(part); });
}

}  // namespace

/// One training that an experiment requires.
struct ExperimentRunner::Plan {
  const Variant* variant;
  std::int64_t seed;
  RunOptions options;
  std::string run;
  struct Before {
    RunOptions options;
    std::string run;
  };
  std::optional<Before> before = {};  ///< the training that a variant with `pretrain` begins with
  std::string place = {};             ///< among the plans: "2 of 15"
};

ExperimentRunner::ExperimentRunner(std::filesystem::path dir, std::vector<std::string> overrides)
    : dir_(std::move(dir)), overrides_(std::move(overrides)) {}

/// Ordered by seed, so that an interrupted experiment has every variant once before any has two.
std::vector<ExperimentRunner::Plan> ExperimentRunner::plan(const Experiment& experiment) const {
  std::vector<Plan> plans;
  for (const auto& variant : experiment.variants)
    for (const auto seed : experiment.seeds_of(variant)) {
      Plan plan{.variant = &variant,
                .seed = seed,
                .options = trial_options(experiment, variant, seed, overrides_),
                .run = {}};
      if (!variant.pretrain.empty()) {
        auto before = pretraining_options(experiment, variant, seed, overrides_);
        auto run = pretraining_name(experiment, before);
        plan.before = {.options = std::move(before), .run = std::move(run)};
      }
      plan.run = trial_name(experiment, variant, plan.options, plan.before ? plan.before->run : "");
      plans.push_back(std::move(plan));
    }
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan& a, const Plan& b) { return a.seed < b.seed; });
  for (std::size_t i = 0; i < plans.size(); ++i)
    plans[i].place = concat(i + 1, " of ", plans.size());
  return plans;
}

/// Trains what a variant begins with, unless that has been done. \return as `complete`
int ExperimentRunner::pretrain(const Experiment& experiment, const Plan& plan,
                               const TrialTexts& texts, const PreparedText& pairs) const {
  const auto run_dir = dir_ / plan.before->run;
  const RunLock lock(dir_ / "locks" / run_dir.filename(), IfLocked::wait);
  if (is_finished(run_dir)) return 0;
  log_info(concat("experiment ", experiment.name, ", training before ", plan.place, ", in ",
                  run_dir.string()));
  TrainRequest request{.options = plan.before->options, .run_dir = run_dir};
  const auto text = prepare_other_targets(experiment, texts, pairs, request.options);
  request.source_tokenizer = text.tokenizer;
  request.data_dir = text.folder;
  request.restores_text = true;
  try {
    return train(request).signal;
  } catch (const DivergedError& error) {
    throw DivergedError(concat("pre-training: ", error.what()));
  }
}

int ExperimentRunner::train_trial(const Experiment& experiment, const Plan& plan,
                                  const TrialTexts& texts) const {
  TrainRequest request{.options = plan.options, .run_dir = dir_ / plan.run};
  const auto text = prepare_text(experiment, texts, dir_, request.options);
  request.source_tokenizer = text.tokenizer;
  request.data_dir = text.folder;
  try {
    if (plan.before) {
      if (const int signal = pretrain(experiment, plan, texts, text); signal != 0) return signal;
      const auto before = open_run(dir_ / plan.before->run, ModelKind::translation);
      request.start_from = {.checkpoint = before.checkpoint};
    }
    return train(request).signal;
  } catch (const DivergedError& error) {
    note_failure(request.run_dir, error.what());
    log_warning(concat("experiment ", experiment.name, ": ", plan.variant->name, ", seed ",
                       plan.seed, " counts as failed: ", error.what()));
    return 0;
  }
}

/// Trains and measures what is missing of a trial. \return the signal that stopped it, or 0
int ExperimentRunner::complete(const Experiment& experiment, const Plan& plan,
                               const TrialTexts& given) const {
  const auto run_dir = dir_ / plan.run;
  const auto& task = experiment.task_of(*plan.variant);
  const auto texts = task.any() ? task_texts(task, dir_) : given;
  log_info(concat("experiment ", experiment.name, ", training ", plan.place, ": ",
                  plan.variant->name, ", seed ", plan.seed, ", in ", run_dir.string()));
  if (!is_finished(run_dir))
    if (const int signal = train_trial(experiment, plan, texts); signal != 0) return signal;
  if (!is_measured(experiment, run_dir)) measure_trial(experiment, run_dir, texts);
  return 0;
}

int ExperimentRunner::run(const Experiment& experiment, const TrialTexts& given,
                          IfLocked others) const {
  expect_text(experiment, given);
  if (experiment.needs_text()) {
    expect_word_pairs(experiment, given);
    expect_other_targets(experiment, given);
    if (read_text_record(dir_).is_null()) {  // training does not read the test text
      read_filled_pairs(given.valid_source, given.valid_target);
      read_filled_pairs(given.test_source, given.test_target);
    }
    record_texts(given, dir_);
  }
  for (const auto& plan : plan(experiment)) {
    const auto is_done = [&] { return is_measured(experiment, dir_ / plan.run); };
    if (is_done()) continue;
    const auto folder = dir_ / "locks" / plan.run;
    const auto lock =
        others == IfLocked::wait ? std::make_unique<RunLock>(folder, others) : lock_if_free(folder);
    if (!lock || is_done()) continue;
    if (const int signal = complete(experiment, plan, given); signal != 0) return signal;
  }
  return 0;
}

/// The record of the text that kept results were trained on.
void ExperimentRunner::take_over_text(const nlohmann::json& record) const {
  if (const auto own = read_text_record(dir_);
      !own.is_null() && !record.is_null() && !are_same_texts(own, record))
    throw OptionsError(concat("--kept: the results are those of another text than ", dir_.string(),
                              " has training runs with; give -o another folder"));
  restore_text_record(record, dir_);
}

std::set<std::string> ExperimentRunner::take_over(const KeptResults& kept,
                                                  const Experiment& experiment) const {
  if (kept.facts.weights != MeasuredWeights::best)
    throw OptionsError(
        "--kept: the results are those of the last weights, and this program measures the best; "
        "train again without --kept");
  if (kept.facts.rules != measuring_rules)
    throw OptionsError(concat("--kept: the results were measured by rules ", kept.facts.rules,
                              ", this program has rules ", measuring_rules,
                              "; train again without --kept"));
  const auto plans = plan(experiment);
  const auto word_pairs = word_pairs_identity(experiment);
  std::set<std::string> taken;
  for (const auto& result : kept.results) {
    if (!measured_alike(result.experiment, experiment)) continue;
    for (const auto& plan : plans)
      for (const auto& trial : result.trials) {
        if (trial.run != plan.run) continue;
        const bool has_failed = !trial.record.failure.empty();  // and measured nothing
        if (experiment.measures("heads") && !has_failed && trial.record.word_pairs != word_pairs)
          continue;
        taken.insert(plan.run);
        if (!experiment.task_of(*plan.variant).any()) take_over_text(kept.facts.text_record);
        if (!is_measured(experiment, dir_ / plan.run))
          restore_measures(experiment, trial.record, dir_ / plan.run);
      }
  }
  const auto said = concat("--kept: has ", taken.size(), " of the ", plans.size(),
                           " training runs of ", experiment.name);
  if (taken.empty())
    log_warning(said + ": none with these settings and seeds");
  else
    log_info(said);
  return taken;
}

ExperimentResult ExperimentRunner::result(const Experiment& experiment) const {
  ExperimentResult result{.experiment = experiment, .trials = {}};
  for (const auto& plan : plan(experiment)) {
    const auto run_dir = dir_ / plan.run;
    if (!is_measured(experiment, run_dir)) continue;
    result.trials.push_back({.variant = plan.variant->name,
                             .seed = plan.seed,
                             .run = plan.run,
                             .record = read_measures(experiment, run_dir)});
  }
  return result;
}

}  // namespace dragoman
