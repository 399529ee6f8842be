#pragma once

#include "dragoman/translate/reranker.h"

#include <filesystem>

namespace dragoman::app {

/// A run's language model for reranking, on the CPU: what `use_for_language_models` needs.
/// \throws as `load_language_model` does
LanguageModelScores scores_of_language_model(const std::filesystem::path& run_dir);

}  // namespace dragoman::app
