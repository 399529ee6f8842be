#include "argument_checks.h"
#include "commands/commands.h"
#include "dragoman/core/log.h"
#include "dragoman/core/log_time.h"
#include "dragoman/core/thread.h"
#include "dragoman/translate/inference_models.h"
#include "dragoman/translate/module_models.h"
#include "exit_code.h"
#include "help.h"
#include "memory.h"
#include "standard_streams.h"
#include "version.h"

#include <ATen/Parallel.h>

#include <map>
#include <string>

namespace {

void add_global_options(CLI::App& app) {
  using dragoman::LogLevel;
  static const std::map<std::string, LogLevel> levels = {{"error", LogLevel::error},
                                                         {"warning", LogLevel::warning},
                                                         {"info", LogLevel::info},
                                                         {"debug", LogLevel::debug}};
  auto* level =
      app.add_option_function<std::string>(
             "--log", [](const std::string& name) { dragoman::set_log_level(levels.at(name)); },
             "Print messages of this level and above on stderr: error, warning, info or debug")
          ->check(CLI::IsMember({"error", "warning", "info", "debug"}))
          ->default_str("info");
  app.add_flag_callback(
         "--quiet", [] { dragoman::set_log_level(LogLevel::warning); },
         "Print warnings and errors only, and no progress: --log warning")
      ->excludes(level);
  app.add_flag_callback(
      "--log-time", [] { dragoman::set_log_time(true); },
      "Begin each message with the time of day");
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", dragoman::app::version_text,
                       "Print the versions of Dragoman and its libraries, and the devices found");
}

void add_commands(CLI::App& app) {
  dragoman::app::add_analyze(app);
  dragoman::app::add_average(app);
  dragoman::app::add_bench(app);
  dragoman::app::add_classify(app);
  dragoman::app::add_completion(app);
  dragoman::app::add_convert(app);
  dragoman::app::add_evaluate(app);
  dragoman::app::add_experiment(app);
  dragoman::app::add_explain(app);
  dragoman::app::add_help(app);
  dragoman::app::add_info(app);
  dragoman::app::add_lm(app);
  dragoman::app::add_prune(app);
  dragoman::app::add_score(app);
  dragoman::app::add_train(app);
  dragoman::app::add_translate(app);
  dragoman::app::add_tokenize(app);
}

/// LibTorch ends the process without a message of ours if one of its threads is refused, or if
/// there are so many that their stacks overflow.
void expect_library_threads() {
  const int threads = at::get_num_threads();
  dragoman::expect_thread_count("OMP_NUM_THREADS", threads);
  dragoman::expect_threads(threads - 1);
}

/// Whether the command that was given takes training steps, or measures what they are made of.
bool repeats_steps(const CLI::App& app) {
  const auto given = [&app](const char* command, const char* sub) {
    return app.got_subcommand(command) && app.get_subcommand(command)->got_subcommand(sub);
  };
  return app.got_subcommand("train") || app.got_subcommand("experiment") ||
         (app.got_subcommand("bench") && !given("bench", "translate")) ||
         given("classify", "train") || given("lm", "train");
}

/// Common setup of all commands.
void prepare(const CLI::App& app) {
  expect_library_threads();
  if (repeats_steps(app)) dragoman::app::keep_freed_memory();
}

int run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (...) {
    const int code = dragoman::app::report_exception(app);
    if (code != 0) return code;  // what was printed before is flushed at the end of the process
  }
  try {
    dragoman::app::finish_standard_output();
  } catch (...) {
    return dragoman::app::report_exception(app);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  dragoman::app::watch_standard_output();
  CLI::App app("Neural machine translation: train, translate, evaluate", "dragoman");
  app.require_subcommand(1);
  app.fallthrough();  // --log may come before or after the subcommand
  app.formatter(dragoman::app::help_formatter());
  app.footer(
      "'dragoman help COMMAND' describes a command. Exit codes: 0 done, 1 a file or its data, "
      "2 the command line or the configuration, 70 an error in this program");
  add_global_options(app);
  add_commands(app);
  dragoman::app::check_arguments(app);
  dragoman::use_for_other_models(dragoman::module_model_of_run);
  app.parse_complete_callback([&app] { prepare(app); });
  return run(app, argc, argv);
}
