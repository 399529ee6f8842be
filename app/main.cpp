#include "commands/commands.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/foreign_errors.h"
#include "dragoman/translate/torch_library.h"
#include "exit_code.h"
#include "program.h"
#include "standard_streams.h"
#include "version.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

// The program as it starts, without LibTorch: it translates, scores, evaluates, tokenizes, learns
// shortlists and describes models and training runs by itself. For all else it opens
// libdragoman_torch.so, which contains the whole program (torch_program.cpp).
namespace {

using namespace dragoman;

constexpr std::array own_commands = {"translate", "evaluate", "score", "shortlist",
                                     "tokenize",  "info",     "report"};

/// The first word of the command line that is no option; empty if there is none.
std::string_view first_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--log")
      ++i;  // its value
    else if (!word.starts_with('-'))
      return word;
  }
  return {};
}

/// The commands that only the library has, in their place.
void add_missing_commands(CLI::App& app) {
  for (const char* name : {"train", "distill", "back-translate", "average", "convert", "analyze",
                           "explain", "prune", "bench", "experiment", "classify", "lm"}) {
    auto* sub = app.add_subcommand(name, "Not installed: needs LibTorch");
    sub->fallthrough(false);
    sub->allow_extras();
    sub->callback(
        [name] { throw DataError(concat(name, ": needs LibTorch, but ", torch_library_fault())); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  app::occupy_standard_streams();
  app::report_uncaught_bad_alloc();
  if (std::ranges::find(own_commands, first_word(argc, argv)) == own_commands.end())
    if (auto* const whole = torch_library_function<int(int, char**)>("dragoman_torch_program"))
      return whole(argc, argv);
  return app::run_program(argc, argv,
                          {.add_commands = add_missing_commands,
                           .version_text = [] { return app::version_text(std::nullopt); },
                           .rethrow_as_error = rethrow_as_error});
}
