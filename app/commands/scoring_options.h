#pragma once

#include "commands/score_output.h"
#include "dragoman/metrics/scoring.h"

#include <CLI/CLI.hpp>

namespace dragoman::app {

/// Adds the options that say how to score. Both structs must outlive `command`.
void add_scoring_options(CLI::App& command, ScoringOptions& scoring);

/// \throws OptionsError for an option of `add_scoring_options` that the others leave without effect
void expect_effect(const CLI::App& command, const ScoringOptions& scoring);

/// Adds the options that say how to show scores.
void add_output_options(CLI::App& command, ScoreOutput& output);

}  // namespace dragoman::app
