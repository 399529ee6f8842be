#include "commands/option_flags.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace dragoman::app {

namespace {

/// Seconds of a unit; 0 if there is no such unit.
double seconds_of_unit(char unit) {
  switch (unit) {
    case 's': return 1.0;
    case 'm': return 60.0;
    case 'h': return 3600.0;
    case 'd': return 86400.0;
    default: return 0.0;
  }
}

/// An option with several values also takes an argument that should have come before it.
CLI::Validator a_setting() {
  return {[](std::string& text) -> std::string {
            std::error_code ignored;
            const bool is_file =
                text.find('=') == std::string::npos && std::filesystem::exists(text, ignored);
            return is_file ? concat(printable(text, 80),
                                    " is the name of a file, not KEY=VALUE; put it before --set")
                           : "";
          },
          ""};
}

}  // namespace

CLI::Option* add_set_option(CLI::App& command, std::vector<std::string>& settings,
                            const std::string& example) {
  return command
      .add_option("--set", settings,
                  "Set options of the configuration, such as " + example +
                      " (repeatable); 'dragoman info --options' lists them")
      ->check(a_setting());
}

double seconds_of(const std::string& flag, const std::string& text) {
  double seconds = 0.0;
  std::string_view rest = text;
  while (!rest.empty()) {
    double number = 0.0;
    const auto read =
        std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    const auto used = static_cast<std::size_t>(read.ptr - rest.data());
    const bool bare = used == rest.size() && used == text.size();  // 3600
    const double unit = bare ? 1.0 : used < rest.size() ? seconds_of_unit(rest[used]) : 0.0;
    if (read.ec != std::errc{} || !(number >= 0.0) || !std::isfinite(number) || unit == 0.0)
      throw OptionsError(
          concat(flag, ": expected a time such as 3600 (seconds), 90m, 1h30m or 2d, got \"",
                 printable(text, 80), '"'));
    seconds += number * unit;
    rest.remove_prefix(bare ? used : used + 1);
  }
  return seconds;
}

}  // namespace dragoman::app
