#include "commands/commands.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/version.h"

#include <iostream>

int main(int argc, char** argv) {
  CLI::App app("Neural machine translation: train, translate, evaluate", "dragoman");
  app.require_subcommand(1);
  app.set_version_flag("--version", dragoman::version);
  dragoman::app::add_average(app);
  dragoman::app::add_evaluate(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(dragoman::ExitCode::usage);
  } catch (const dragoman::Error& error) {
    dragoman::log(dragoman::LogLevel::error, error.what());
    return static_cast<int>(error.exit_code());
  } catch (const std::exception& error) {
    dragoman::log(dragoman::LogLevel::error, dragoman::concat("internal error: ", error.what()));
    return static_cast<int>(dragoman::ExitCode::internal);
  }
  return 0;
}
