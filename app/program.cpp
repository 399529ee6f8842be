#include "program.h"

#include "argument_checks.h"
#include "commands/commands.h"
#include "dragoman/core/log.h"
#include "dragoman/core/simd.h"
#include "dragoman/core/unfinished_files.h"
#include "exit_code.h"
#include "help.h"
#include "standard_streams.h"

#include <map>
#include <span>

namespace dragoman::app {

namespace {

void add_global_options(CLI::App& app, const Program& program) {
  static const std::map<std::string, LogLevel> levels = {{"error", LogLevel::error},
                                                         {"warning", LogLevel::warning},
                                                         {"info", LogLevel::info},
                                                         {"debug", LogLevel::debug}};
  auto* level =
      app.add_option_function<std::string>(
             "--log", [](const std::string& name) { set_log_level(levels.at(name)); },
             "Print messages of this level and above on stderr: error, warning, info or debug")
          ->check(CLI::IsMember({"error", "warning", "info", "debug"}))
          ->default_str("info");
  app.add_flag_callback(
         "--quiet", [] { set_log_level(LogLevel::warning); },
         "Print warnings and errors only, and no progress: --log warning")
      ->excludes(level);
  app.add_flag_callback(
      "--log-time", [] { show_log_time(); }, "Begin each message with the time of day");
  app.set_help_flag("-h,--help", "Print this help");
  app.set_version_flag("--version", program.version_text,
                       "Print the versions of Dragoman and its libraries, and the devices found");
}

/// Those that need no LibTorch.
void add_common_commands(CLI::App& app) {
  add_translate(app);
  add_evaluate(app);
  add_score(app);
  add_shortlist(app);
  add_tokenize(app);
  add_info(app);
  add_report(app);
  add_completion(app);
  add_help(app);
}

int run(CLI::App& app, int argc, char** argv, const Program& program) {
  try {
    check_words(app, std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(1));
    app.parse(argc, argv);
  } catch (...) {
    const int code = report_exception(app, program.rethrow_as_error);
    if (code != 0) return code;  // what was printed before is flushed at the end of the process
  }
  try {
    finish_standard_output();
  } catch (...) {
    return report_exception(app, program.rethrow_as_error);
  }
  return 0;
}

}  // namespace

int run_program(int argc, char** argv, const Program& program) {
  watch_standard_output();
  remove_unfinished_files_on_signals();
  CLI::App app("Neural machine translation: train, translate, evaluate", "dragoman");
  app.require_subcommand(1);
  app.fallthrough();  // --log may come before or after the subcommand
  app.formatter(help_formatter());
  app.footer("'dragoman help COMMAND' describes a command");
  add_global_options(app, program);
  add_common_commands(app);
  program.add_commands(app);
  check_arguments(app);
  app.parse_complete_callback([&] {
    if (!app.get_subcommands().empty())
      best_allowed_instructions();  // a wrong DRAGOMAN_CPU is refused before any work
    program.prepare(app);
  });
  return run(app, argc, argv, program);
}

}  // namespace dragoman::app
