#pragma once

#include "dragoman/run/loaded_run.h"
#include "dragoman/text/tokenizer.h"

#include <nlohmann/json.hpp>

namespace dragoman {

// The JSON files of a MarianMT folder that is made of a run.

/// Warns of options of the run's search that get lost, and says where `generate` will stop.
void warn_of_lost_generation(const LoadedRun& run);

/// generation_config.json. Its max_length is never beyond the positions of the model.
nlohmann::json marian_mt_generation_json(const LoadedRun& run);

/// config.json.
/// \param generation the options of search, which are in both files
nlohmann::json marian_mt_config_json(const LoadedRun& run, const nlohmann::json& generation);

/// Ids by pieces.
nlohmann::json marian_mt_vocabulary_json(const Tokenizer& tokenizer);

/// tokenizer_config.json.
/// \param separate whether the sides have a file of pieces each
nlohmann::json marian_mt_tokenizer_json(const LoadedRun& run, bool separate);

}  // namespace dragoman
