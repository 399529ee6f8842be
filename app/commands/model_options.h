#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace dragoman::app {

// The options that name trained models. What they set must outlive `command`.

/// Adds -m, for one model.
CLI::Option* add_model_option(CLI::App& command, std::filesystem::path& model);

/// Adds -m, which may be repeated for an ensemble.
/// \param whose "Run folder", or whose run folder it is
CLI::Option* add_models_option(CLI::App& command, std::vector<std::filesystem::path>& models,
                               const std::string& whose = "Run folder");

/// Adds --checkpoint.
/// \param what it is for: "Checkpoint that translates: "; empty = that of -m
CLI::Option* add_checkpoint_option(CLI::App& command, std::string& checkpoint,
                                   const std::string& what = {});

}  // namespace dragoman::app
