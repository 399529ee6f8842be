#include "commands/device_option.h"

namespace dragoman::app {

CLI::Option* add_device_option(CLI::App& command, std::string& device) {
  return command
      .add_option("--device", device,
                  "Device of the model: cpu, cuda (the first GPU) or cuda:N (GPU number N)")
      ->capture_default_str();
}

}  // namespace dragoman::app
