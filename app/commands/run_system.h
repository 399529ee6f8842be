#pragma once

#include "dragoman/inference/inference_model.h"
#include "dragoman/run/run_files.h"
#include "dragoman/text/example.h"
#include "dragoman/text/language_tags.h"
#include "dragoman/translate/likelihood.h"
#include "dragoman/translate/translation.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dragoman::app {

/// Runs whose models translate a text together.
struct RunSystem {
  std::vector<RunFiles> runs;
  InferenceModels models;
  std::int64_t workers = 0;         ///< threads; 0 = one per core, or on a GPU at most two
  bool batch_tokens_given = false;  ///< search.batch_tokens was asked for
};

/// Runs that `open_runs` has opened, ready to translate.
/// \throws as `choose_languages` and `inference_models`
RunSystem run_system(std::vector<RunFiles> runs, const Languages& languages,
                     const std::string& device);

/// The lines of a text that is to be evaluated, translated with the first run's search; shows
/// progress, and warns of what happened to lines.
/// \param place of the text, for messages
/// \param shortlist file; empty = all logits
std::vector<Translation> translated(const RunSystem& system, std::span<const std::string> lines,
                                    const std::string& place, const std::string& shortlist = "");

/// That of the targets, given the sources; pairs that are too long for the model are left out with
/// a warning. None if all are.
std::optional<Likelihood> likelihood_of(const RunSystem& system, std::span<const LinePair> pairs);

}  // namespace dragoman::app
