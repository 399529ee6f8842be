#include "commands/commands.h"
#include "commands/next_commands.h"
#include "commands/text_files.h"
#include "commands/train_arguments.h"
#include "standard_streams.h"

#include "dragoman/config/parse.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/distributed/group.h"
#include "dragoman/distributed/launch.h"
#include "dragoman/planning/check.h"
#include "dragoman/run/run_files.h"
#include "dragoman/train/train.h"

#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <string_view>

namespace dragoman::app {

namespace {

const std::map<std::string, Distributed> distributed_modes = {
    {"auto", Distributed::automatic}, {"off", Distributed::off}, {"mpi", Distributed::mpi}};

constexpr const char* no_run_folder = "train: no run folder given; use -o RUN_DIR";

struct Train : TrainArguments {
  GroupOptions group;
  bool json = false;

  void report(const TrainRequest& request) const {
    const auto found = check_training(request);
    std::cout << (json
                      ? found.json().dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
                            '\n'
                      : found.text(request.options));
    finish_standard_output();
    if (found.exit_code != ExitCode::done)
      throw CLI::RuntimeError(static_cast<int>(found.exit_code));
  }

  void run() const {
    if (check) expect_single_process("train --check");
    if (dump_config) expect_single_process("train --dump-config");
    log_as_rank(group);
    group.validate();  // before --preset auto counts the text, as for a missing folder
    if (preset == "auto" && run_dir.empty() && !check && !dump_config)
      throw OptionsError(no_run_folder);
    const auto options = run_options("train");
    if (dump_config) return write_configuration(options);
    if (options.data.train_source.empty())
      throw OptionsError(concat(
          "data.train_source: no training text; give --train-source and --train-target",
          !(preset.empty() && config.empty()) && has_checkpoints(run_dir)
              ? concat(". 'train -o ", run_dir.string(), "' alone resumes the run that is there")
              : std::string()));
    auto request = this->request(options);
    if (check) return report(request);
    if (run_dir.empty()) throw OptionsError(no_run_folder);
    const auto launch = find_launch();  // before MPI sets variables like those of a launcher
    const auto joined = join_group(group);
    request.group = joined.get();
    if (joined->size() > 1 && launch && launch->launcher == std::string_view("mpirun"))
      log_info(
          "to stop and save: pkill -USR1 mpirun; after Ctrl-C, mpirun ends the processes within "
          "about two seconds, saved or not");
    const auto end = train(request);
    auto next = next_commands(options.data);
    next.processes = joined->size();
    if (group.timeout != GroupOptions().timeout)
      next.resume.insert(next.resume.end(), {"--distributed-timeout", concat(group.timeout)});
    next.by_slurm = launch && std::string_view(launch->launcher) == "srun";
    end_training(next, end, options.train);
  }
};

void add_process_options(CLI::App& sub, Train& command) {
  auto& group = command.group;
  sub.add_option_function<std::string>(
         "--distributed",
         [&group](const std::string& name) { group.distributed = distributed_modes.at(name); },
         "auto: processes started by mpirun or srun train together, by MPI; off: each trains "
         "alone; mpi: always by MPI")
      ->check(CLI::IsMember(distributed_modes))
      ->default_str("auto");
  sub.add_option(
         "--distributed-timeout", group.timeout,
         "Seconds without a heartbeat after which another process counts as lost, and all end")
      ->capture_default_str();
}

}  // namespace

void add_train(CLI::App& app) {
  auto command = std::make_shared<Train>();
  auto* sub =
      app.add_subcommand("train", "Train a model from parallel text, or resume an interrupted run");
  add_configuration_options(*sub, *command);
  add_start_options(*sub, *command);
  add_text_options(*sub, *command);
  add_limit_options(*sub, command->flags);
  add_process_options(*sub, *command);
  auto* check =
      sub->add_flag(
             "--check", command->check,
             "Check the text and estimate parameters, memory, FLOPs and time, without training")
          ->excludes("--dump-config");
  sub->add_flag("--json", command->json, "With --check: the report as JSON")->needs(check);
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
