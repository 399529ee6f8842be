#pragma once

#include "dragoman/convert/foreign_model.h"
#include "dragoman/convert/huggingface_config.h"

#include <filesystem>

namespace dragoman {

/// Reads a MarianMT folder: post-norm layers, sinusoids in halves or a stored table of positions,
/// and a decoder that starts from the row of the padding. \throws as `import_huggingface` does
ForeignModel read_marian_mt(const std::filesystem::path& folder, const HuggingFaceConfig& config);

}  // namespace dragoman
