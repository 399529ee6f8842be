#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace dragoman::app {

/// Adds --device, where a trained model computes: cpu, cuda or cuda:N.
CLI::Option* add_device_option(CLI::App& command, std::string& device);

/// --workers, the batches that are computed in parallel.
CLI::Option* add_workers_option(CLI::App& command, std::int64_t& workers);

}  // namespace dragoman::app
