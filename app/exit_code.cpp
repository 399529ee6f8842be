#include "exit_code.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/joined.h"
#include "dragoman/core/log.h"
#include "dragoman/core/unfinished_files.h"
#include "option_facts.h"
#include "standard_streams.h"
#include "suggestion.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <exception>
#include <ios>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman::app {

namespace {

int fail(ExitCode code, std::string_view message) {
  log(LogLevel::error, message);
  return static_cast<int>(code);
}

bool has_options(const CLI::App& app) {
  const auto options = app.get_options();
  return std::any_of(options.begin(), options.end(),
                     [](const CLI::Option* option) { return option->count() > 0; });
}

/// "give one of --to, --from", of the options of which exactly one has to be given.
std::string choice_fault(const CLI::App& command, const std::string& text) {
  std::vector<std::string> names;
  for (const auto* group : option_groups_of(command))
    for (const auto* option : group->get_options())
      if (!option->check_lname("help")) names.push_back(flags_of(*option).back());
  const bool several = text.find("were given") != std::string::npos &&
                       text.find(" 0 were given") == std::string::npos;
  return (several ? "give only one of " : "give one of ") + joined(names);
}

/// A message about an argument without flags, with the name that the help has for it: "NAMES is
/// required".
std::string with_name_of_help(const CLI::App& command, const std::string& text) {
  const auto name = text.substr(0, text.find_first_of(": "));
  for (const auto* option : command.get_options())
    if (flags_of(*option).empty() && option->get_name(true) == name)
      return argument_name(*option) + text.substr(name.size());
  return text;
}

/// CLI11's messages in plain words.
std::string usage_fault(const CLI::App& command, const CLI::ParseError& error) {
  const auto text = with_name_of_help(command, error.what());
  if (text.rfind("Exactly 1 option", 0) == 0) return choice_fault(command, text);
  if (text == "A subcommand is required") return "a command is missing";
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
    return text + "; give one of them";
  const std::string option = text.substr(0, text.find(':'));
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return text;
  if (text.find("missing") != std::string::npos) return option + ": its value is missing";
  return option + ": takes one value and was given more";
}

/// Help or version.
int print_answer(const CLI::App& app, const CLI::ParseError& answer) {
  try {
    errno = 0;
    return app.exit(answer);
  } catch (const std::ios_base::failure&) {
    return fail(ExitCode::data, standard_output_fault(errno));
  }
}

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::RuntimeError*>(&error) != nullptr) return error.get_exit_code();
  const auto& command = deepest_command(app);
  const auto unknown = unknown_word(app);
  if (error.get_exit_code() == 0 && unknown.empty()) return print_answer(app, error);
  if (unknown.empty() && &command == &app && !has_options(app)) {
    std::cerr << app.help();
    return static_cast<int>(ExitCode::usage);
  }
  const auto fault = unknown.empty() ? usage_fault(command, error) : unknown;
  return fail(ExitCode::usage, concat(fault, fault.back() == '?' ? " See '" : "; see '",
                                      full_name(command), " --help'"));
}

int report_error(void (*rethrow_as_error)()) {
  try {
    rethrow_as_error();
    return static_cast<int>(ExitCode::internal);
  } catch (const InternalError& error) {
    return fail(error.exit_code(), concat("internal error: ", error.what()));
  } catch (const Error& error) {
    return fail(error.exit_code(), error.what());
  }
}

std::terminate_handler usual_end = nullptr;

/// Of the exception that ends the process, if there is one.
bool is_bad_alloc() {
  if (!std::current_exception()) return false;
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// A terminate handler. Allocates nothing.
void end_process() {
  constexpr std::string_view message =
      "dragoman: error: out of memory: the system gives no more; raise the limit on memory (ulimit "
      "-v, the container's) if there is one, or use a smaller model\n";
  if (!is_bad_alloc()) return usual_end();
  remove_unfinished_files();
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, message.data(), message.size());
  ::_exit(static_cast<int>(ExitCode::data));
}

}  // namespace

void report_uncaught_bad_alloc() { usual_end = std::set_terminate(end_process); }

int report_exception(const CLI::App& app, void (*rethrow_as_error)()) {
  const int error_number = errno;
  try {
    throw;
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
  } catch (const std::ios_base::failure&) {
    if (standard_output_failed()) return fail(ExitCode::data, standard_output_fault(error_number));
    return report_error(rethrow_as_error);
  } catch (...) {
    return report_error(rethrow_as_error);
  }
}

}  // namespace dragoman::app
