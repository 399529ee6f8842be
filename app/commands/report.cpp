#include "commands/commands.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"
#include "dragoman/core/log.h"
#include "dragoman/core/version.h"
#include "dragoman/train/run_page.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace dragoman::app {

namespace {

struct Report {
  std::vector<std::filesystem::path> runs;
  std::filesystem::path output;

  void run() const {
    if (runs.size() > 2)
      throw OptionsError(concat("--model: ", runs.size(), " runs; a page shows one or two"));
    std::vector<RunHistory> histories;
    for (const auto& run_dir : runs) histories.push_back(read_run_history(run_dir));
    if (histories.size() == 2 && histories[0].name == histories[1].name)
      for (std::size_t i = 0; i < 2; ++i) histories[i].name = runs[i].string();
    write_file_atomically(output, run_page(histories, version));
    log_info("wrote " + output.string());
  }
};

}  // namespace

void add_report(CLI::App& app) {
  auto command = std::make_shared<Report>();
  auto* sub = app.add_subcommand(
      "report",
      "Write one HTML page of a training, or of two side by side: curves, facts, "
      "translations, configuration");
  sub->add_option("-m,--model", command->runs,
                  "Run folder, as 'dragoman train' wrote it; a second -m compares")
      ->required()
      ->allow_extra_args(false);
  sub->add_option("-o,--output", command->output, "HTML file to write")->required();
  sub->callback([command] { command->run(); });
}

}  // namespace dragoman::app
