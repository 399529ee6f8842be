#pragma once

#include "dragoman/metrics/consensus.h"
#include "dragoman/translate/line_translator.h"
#include "dragoman/translate/synthetic_files.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// Sequence-level interpolation (Kim and Rush 2016, section 3.3): of a line's n-best list, the
/// translation that is closest to a given one is kept.
struct Interpolation {
  /// Files, line for line the given translations of the first texts; others have none, and keep
  /// the best translation of the search.
  std::vector<std::string> references;
  Utility utility = Utility::bleu;  ///< how close a translation is to its reference
};

/// A text that is to be translated for training: by a teacher, for sequence-level knowledge
/// distillation (Kim and Rush 2016), or from the target language back, for back-translation
/// (Sennrich, Haddow and Birch 2016).
struct SyntheticRequest {
  std::filesystem::path folder;    ///< where the translations are kept; made if missing
  std::vector<std::string> texts;  ///< files, plain or .gz
  /// What the translations depend on besides the texts: models, languages, search.
  nlohmann::json origin;
  std::optional<Interpolation> interpolation = {};
  std::int64_t block_lines = 2000;  ///< translated and saved together, at least 1
};

/// Lines and their translations, in the files that the folder of a request has, or will have.
struct SyntheticText : SyntheticFiles {
  using SyntheticFiles::SyntheticFiles;

  std::int64_t kept = 0;
  std::int64_t left_out = 0;  ///< blank, cut to the length limits, looping, or without translation
};

/// Translates the texts block by block. Each block is saved with its checksums as soon as it is
/// done, so that the next call continues behind the last one, with the same result to the byte; a
/// complete text is only verified.
/// \throws DataError if a text cannot be read, a reference has another number of lines, no line has
///     text, another process uses the folder, or it holds translations of another `origin` or of
///     other texts
SyntheticText make_synthetic_text(const SyntheticRequest& request,
                                  const LineTranslator& translator);

}  // namespace dragoman
