#pragma once

#include "dragoman/experiment/definition.h"
#include "dragoman/experiment/kept_results.h"
#include "dragoman/experiment/prepared_text.h"
#include "dragoman/experiment/results.h"
#include "dragoman/experiment/trial_texts.h"
#include "dragoman/run/run_lock.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace dragoman {

/// Trains and measures the variants of experiments in one folder, one after another:
///
///     DIR/run-1f0c...   an ordinary run folder for each training, its measures.json in it unless
///                       another training begins with its weights (`Variant::pretrain`)
///     DIR/text-9a3b...  pieces and ids that training runs share
///     DIR/task-44e0...  synthetic text
///     DIR/texts.json    names and SHA-256 of the user's text
///     DIR/locks         which training runs a process is working on
///
/// A finished training is not repeated, an interrupted one is resumed, and experiments that have a
/// training in common share it. Several processes may work in one folder: each training is done by
/// one of them.
class ExperimentRunner {
 public:
  /// \param overrides set on every training: "train.max_steps=100"
  ExperimentRunner(std::filesystem::path dir, std::vector<std::string> overrides = {});

  /// Trains and measures everything that `experiment` requests.
  /// \param others what to do about a training that another process is working on: `refuse` leaves
  ///     it out, `wait` waits, and does the training if that process stops before it has a result
  /// \param given used unless the experiment is about a task
  /// \return the signal that stopped it, or 0
  /// \throws OptionsError if the experiment needs a text and there is none, or another than that of
  ///     the folder's training runs, and for overrides of what it sets itself; and whatever
  ///     training and measuring throw, except for a non-finite loss, which counts as a result
  int run(const Experiment& experiment, const TrialTexts& given,
          IfLocked others = IfLocked::wait) const;

  /// Takes over what `experiment` shares with kept results of any experiments, such as those of
  /// another machine: these training runs count as measured and are not repeated.
  /// \return the names of their runs
  /// \throws OptionsError if the results are those of another text than the folder's, or by other
  ///     rules
  std::set<std::string> take_over(const KeptResults& kept, const Experiment& experiment) const;

  /// What has been measured so far.
  ExperimentResult result(const Experiment& experiment) const;

 private:
  struct Plan;
  std::vector<Plan> plan(const Experiment& experiment) const;
  int complete(const Experiment& experiment, const Plan& plan, const TrialTexts& given) const;
  void take_over_text(const nlohmann::json& record) const;
  int train_trial(const Experiment& experiment, const Plan& plan, const TrialTexts& texts) const;
  int pretrain(const Experiment& experiment, const Plan& plan, const TrialTexts& texts,
               const PreparedText& pairs) const;

  std::filesystem::path dir_;
  std::vector<std::string> overrides_;
};

}  // namespace dragoman
