#pragma once

#include "dragoman/convert/foreign_model.h"
#include "dragoman/convert/huggingface.h"
#include "dragoman/convert/huggingface_config.h"

#include <filesystem>

namespace dragoman {

/// Reads an M2M100 or NLLB folder: pre-norm layers, sinusoids in halves whose positions begin
/// behind the padding's id, one language in front of the source and one in front of the target.
/// \throws as `import_huggingface` does
ForeignModel read_m2m100(const std::filesystem::path& folder, const HuggingFaceConfig& config,
                         const Languages& languages);

}  // namespace dragoman
