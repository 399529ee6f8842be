#include "commands/device_option.h"

namespace dragoman::app {

CLI::Option* add_device_option(CLI::App& command, std::string& device) {
  return command
      .add_option(
          "--device", device,
          "Where the model computes: cpu, cuda or cuda:N (the first GPU, or that of a number)")
      ->capture_default_str();
}

}  // namespace dragoman::app
