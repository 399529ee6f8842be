#include "commands/device_option.h"

#include "dragoman/core/thread.h"

namespace dragoman::app {

CLI::Option* add_device_option(CLI::App& command, std::string& device) {
  return command
      .add_option("--device", device,
                  "Device of the model: cpu, cuda (the first GPU) or cuda:N (GPU number N)")
      ->capture_default_str();
}

CLI::Option* add_workers_option(CLI::App& command, std::int64_t& workers) {
  return command
      .add_option("--workers", workers,
                  "Batches computed in parallel; 0 = one per core, on a GPU at most 2")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{0}, most_threads));
}

}  // namespace dragoman::app
