#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/planning/check.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// About what a training would take and when it would end.
/// \param check with its estimate and budget
std::vector<std::string> budget_warnings(const RunOptions& options, const TrainingCheck& check);

/// About validation text whose words BLEU cannot tell apart.
std::optional<std::string> unsplit_validation(const RunOptions& options);

/// About text with too few words for the vocabulary.
/// \param asked pieces of each vocabulary
std::vector<std::string> unfilled_warnings(const Vocabulary& vocabulary, std::int64_t asked);

}  // namespace dragoman
