#include "commands/model_options.h"

namespace dragoman::app {

CLI::Option* add_model_option(CLI::App& command, std::filesystem::path& model) {
  return command.add_option("-m,--model", model, "Run folder, or one checkpoint of it");
}

CLI::Option* add_models_option(CLI::App& command, std::vector<std::filesystem::path>& models,
                               const std::string& whose) {
  return command
      .add_option("-m,--model", models,
                  whose +
                      ", or one checkpoint of it; several -m with one vocabulary are an "
                      "ensemble: the mean of their probabilities")
      ->allow_extra_args(false);
}

CLI::Option* add_checkpoint_option(CLI::App& command, std::string& checkpoint,
                                   const std::string& what) {
  return command.add_option(
      "--checkpoint", checkpoint,
      what + "latest, best-METRIC or step-N (default: the run's best, else the latest)");
}

}  // namespace dragoman::app
