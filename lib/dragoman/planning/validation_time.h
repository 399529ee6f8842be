#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/model/transformer.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>

namespace dragoman {

/// Seconds to translate the validation text. A new model does not end its sentences: they
/// get the length of the references.
double translation_seconds(const RunOptions& options, const Vocabulary& vocabulary,
                           const Transformer& model, std::int64_t workers);

}  // namespace dragoman
