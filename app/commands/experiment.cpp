#include "commands/commands.h"
#include "commands/option_flags.h"
#include "commands/text_files.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/quantity.h"
#include "dragoman/experiment/experiment_runner.h"
#include "dragoman/experiment/kept_results.h"
#include "dragoman/experiment/report_tables.h"
#include "dragoman/experiment/text_record.h"
#include "dragoman/experiment/write_report.h"
#include "dragoman/report/text_table.h"
#include "dragoman/run/run_files.h"
#include "dragoman/tensor/device.h"
#include "program_files.h"
#include "version.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace dragoman::app {

namespace {

std::set<std::string> runs_of(const ExperimentResult& result) {
  std::set<std::string> runs;
  for (const auto& trial : result.trials) runs.insert(trial.run);
  return runs;
}

/// Whether a report has all that `before` has: training runs, and a finding if there is one.
bool has_result(const std::vector<JudgedResult>& report, const ExperimentResult& before) {
  const auto same = std::ranges::find(report, before.experiment.name,
                                      [](const auto& result) { return result.experiment.name; });
  return same != report.end() && std::ranges::includes(runs_of(*same), runs_of(before)) &&
         (before.practice.empty() || !same->practice.empty());
}

/// Names of the experiments whose results a report with `kept` names would lack.
std::vector<std::string> lost_from(const std::vector<JudgedResult>& results,
                                   const std::set<std::string>& kept) {
  std::vector<std::string> lost;
  for (const auto& before : results)
    if (!kept.contains(before.experiment.name)) lost.push_back(before.experiment.name);
  return lost;
}

/// What the folder of a report has; warns of experiments that the new report will lack.
/// \throws FormatError if it cannot be read, so that its findings would be lost
std::optional<KeptResults> read_replaced(const std::filesystem::path& folder,
                                         const std::set<std::string>& kept) {
  const auto file = folder / results_file;
  if (!std::filesystem::exists(file)) return std::nullopt;
  auto replaced = read_results(file);
  if (const auto lost = lost_from(replaced.results, kept); !lost.empty())
    log_warning(concat("report: ", file.string(), " is replaced, without its results of ",
                       joined(lost), "; name these, too, to keep them in the report"));
  return replaced;
}

/// Judges an existing results.json again: needs neither training nor its folder.
struct ExperimentPageCommand {
  std::filesystem::path kept, folder;

  void run() const {
    const auto [results, facts] = read_results(kept);
    if (const auto file = folder / results_file; std::filesystem::exists(file))
      for (const auto& before : read_results(file).results)
        if (!has_result(results, before))
          throw DataError(concat(file.string(), ": has results of ", before.experiment.name,
                                 " that ", kept.string(), " lacks; give -o another folder"));
    write_report(folder, results, facts);
    log_info(concat("report: ", (folder / report_file).string()));
  }
};

struct ExperimentCommand {
  std::vector<std::string> names, overrides;
  std::filesystem::path definitions = program_files() / "configs/experiments", dir, report_dir,
                        kept;
  std::string note;
  TrialTexts texts;
  std::optional<KeptResults> earlier;   ///< what `kept` has
  std::set<std::string> taken;          ///< runs of those
  std::optional<KeptResults> replaced;  ///< what the report's folder has had

  /// Trains what is missing, experiment by experiment, and writes a report after each; first what
  /// no other process is working on.
  void run() {
    const auto experiments = read_experiments(definitions, names);
    for (const auto& experiment : experiments) expect_text(experiment, texts);
    if (texts.any() && std::ranges::none_of(experiments, &Experiment::needs_text))
      log_info(
          "experiment: the given files are not read, as all text of these experiments is "
          "synthetic");
    if (has_checkpoints(dir))
      throw DataError(dir.string() + ": contains a run; choose another folder");
    if (!report_dir.empty()) make_folder(report_dir);
    const ExperimentRunner experiment_runner(dir, overrides);
    take_over(experiments);
    replaced = read_replaced(report_folder(), names_of(experiments));
    std::vector<JudgedResult> reported;
    for (const auto others : {IfLocked::refuse, IfLocked::wait})
      for (const auto& experiment : experiments) {
        const int signal = experiment_runner.run(experiment, texts, others);
        reported = report(experiments);
        if (signal != 0) throw CLI::RuntimeError(128 + signal);
      }
    print(reported);
  }

  void report_only() {
    if (kept.empty() && !std::filesystem::is_directory(dir))
      throw DataError(
          concat(dir.string(), ": no such folder; give -o that of 'experiment run', or --kept"));
    const auto experiments = read_experiments(definitions, names);
    take_over(experiments);
    replaced = read_replaced(report_folder(), names_of(experiments));
    print(report(experiments));
  }

  std::filesystem::path report_folder() const { return report_dir.empty() ? dir : report_dir; }

  void take_over(const std::vector<Experiment>& experiments) {
    if (kept.empty()) return;
    earlier = read_results(kept);
    expect_all_reported(experiments);
    for (const auto& experiment : experiments)
      taken.merge(ExperimentRunner(dir, overrides).take_over(*earlier, experiment));
  }

  static std::set<std::string> names_of(const std::vector<Experiment>& experiments) {
    std::set<std::string> names;
    for (const auto& experiment : experiments) names.insert(experiment.name);
    return names;
  }

  /// \throws OptionsError if the report would replace kept results by fewer
  void expect_all_reported(const std::vector<Experiment>& experiments) const {
    std::error_code missing;
    if (!std::filesystem::equivalent(kept, report_folder() / results_file, missing)) return;
    if (const auto lost = lost_from(earlier->results, names_of(experiments)); !lost.empty())
      throw OptionsError(concat("--kept: the report would replace ", kept.string(),
                                ", without its results of ", joined(lost),
                                "; name these, too, or give another --report"));
  }

  void list() const {
    std::vector<std::vector<std::string>> rows = {
        {"experiment", "training runs", "expected minutes"}};
    for (const auto& experiment : read_experiments(definitions, {"all"})) {
      std::size_t runs = 0;
      for (const auto& variant : experiment.variants) runs += experiment.seeds_of(variant).size();
      rows.push_back({experiment.name + ": " + experiment.title, std::to_string(runs),
                      decimal(experiment.expected_minutes, 0)});
    }
    std::cout << text_table(rows);
  }

  std::vector<JudgedResult> results(const std::vector<Experiment>& experiments) const {
    const ExperimentRunner experiment_runner(dir, overrides);
    std::vector<JudgedResult> results;
    for (const auto& experiment : experiments)
      results.emplace_back(experiment_runner.result(experiment));
    // A finding is about those training runs alone.
    for (const auto* found : {&replaced, &earlier})
      for (const auto& before : *found ? (*found)->results : std::vector<JudgedResult>())
        for (auto& result : results)
          if (result.experiment.name == before.experiment.name &&
              runs_of(result) == runs_of(before) && !before.practice.empty())
            result.practice = before.practice;
    return results;
  }

  /// Writes the report. \return what it reports
  std::vector<JudgedResult> report(const std::vector<Experiment>& experiments) const {
    const auto folder = report_folder();
    auto measured = results(experiments);
    write_report(folder, measured,
                 {.text = recorded_texts(dir) +
                          (overrides.empty() ? "" : "; all with --set " + joined(overrides, " ")),
                  .machine = machines(measured),
                  .version = exact_version(),
                  .text_record = read_text_record(dir)});
    log_info(concat("report: ", (folder / report_file).string()));
    return measured;
  }

  /// Those that the training runs name, this one for those that name none; with kept results,
  /// theirs, and this one if it measured others.
  std::string machines(const std::vector<JudgedResult>& measured) const {
    const auto noted = note.empty() ? "" : "; " + note;
    const auto here = device_descriptions().front() + noted;
    if (!earlier) {
      std::set<std::string> devices;
      for (const auto& result : measured)
        for (const auto& trial : result.trials) devices.insert(trial.record.device);
      if (devices.erase("") > 0 || devices.empty()) devices.insert(device_descriptions().front());
      return joined(devices, ", and ") + noted;
    }
    const bool all_taken = std::ranges::all_of(measured, [this](const ExperimentResult& result) {
      return std::ranges::includes(taken, runs_of(result));
    });
    const auto& machine = earlier->facts.machine;
    if (machine.find(here) != std::string::npos) return machine;
    if (all_taken) return machine.ends_with(noted) ? machine : machine + noted;
    return concat(machine, ", and ", here);
  }

  static void print(const std::vector<JudgedResult>& results) {
    const auto overview = overview_table(results);
    std::vector<std::vector<std::string>> rows = {overview.headings};
    rows.insert(rows.end(), overview.rows.begin(), overview.rows.end());
    std::cout << text_table(rows);
  }
};

void add_definitions(CLI::App& sub, ExperimentCommand& command) {
  sub.add_option("--definitions", command.definitions,
                 "Folder of the experiments' definitions (default: those of the program)");
}

void add_page(CLI::App& experiment) {
  auto command = std::make_shared<ExperimentPageCommand>();
  auto* sub = experiment.add_subcommand(
      "page", "Re-evaluate an existing results.json and write its report");
  sub->add_option("results", command->kept, "results.json of an earlier report")->required();
  sub->add_option("-o,--output", command->folder,
                  "Folder for results.json, REPORT.md and report.html")
      ->required()
      ->check(a_folder());
  sub->callback([command] { command->run(); });
}

void add_common_options(CLI::App& sub, ExperimentCommand& command) {
  sub.add_option("names", command.names, "Experiments by name (see list), or all")->required();
  sub.add_option("-o,--output", command.dir, "Folder of the training runs, which keeps them")
      ->required()
      ->check(a_folder());
  sub.add_option("--report", command.report_dir,
                 "Folder for results.json, REPORT.md and report.html (default: the output folder)")
      ->check(a_folder());
  sub.add_option(
      "--kept", command.kept,
      "results.json of an earlier report, perhaps from another machine, whose training runs "
      "are taken over");
  sub.add_option("--note", command.note, "A remark on the machine for the report");
  add_set_option(sub, command.overrides, "train.max_steps=100 of every training run");
  add_definitions(sub, command);
}

void add_text_options(CLI::App& sub, TrialTexts& texts) {
  sub.add_option("--train-source", texts.train_source,
                 "Training text, source side; experiments about tasks need no text");
  sub.add_option("--train-target", texts.train_target, "Training text, line for line");
  sub.add_option("--valid-source", texts.valid_source, "Text held out for losses");
  sub.add_option("--valid-target", texts.valid_target, "The same, target side");
  sub.add_option("--test-source", texts.test_source, "Text held out for BLEU");
  sub.add_option("--test-target", texts.test_target, "The same, target side");
}

}  // namespace

void add_experiment(CLI::App& app) {
  auto* sub = app.add_subcommand(
      "experiment", "Test claims of tutorials: train variants, measure, judge, report");
  sub->require_subcommand(1);
  auto command = std::make_shared<ExperimentCommand>();
  auto* run =
      sub->add_subcommand("run", "Do the training runs that are missing, then write the report");
  auto* report =
      sub->add_subcommand("report", "Write the report of what has been measured; needs no text");
  auto* list = sub->add_subcommand(
      "list", "List the experiments with their number of training runs and minutes");
  add_common_options(*run, *command);
  add_text_options(*run, command->texts);
  add_common_options(*report, *command);
  add_definitions(*list, *command);
  run->callback([command] { command->run(); });
  report->callback([command] { command->report_only(); });
  list->callback([command] { command->list(); });
  add_page(*sub);
  add_experiment_task(*sub);
}

}  // namespace dragoman::app
