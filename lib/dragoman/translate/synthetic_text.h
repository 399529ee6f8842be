#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/metrics/consensus.h"
#include "dragoman/run/model_file.h"
#include "dragoman/translate/line_translator.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
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

/// Lines and their translations, one file each, line for line.
struct SyntheticText {
  /// Those that the folder of a request has, or will have.
  explicit SyntheticText(const std::filesystem::path& folder)
      : lines(folder / "lines.txt"), translations(folder / "translations.txt") {}

  std::filesystem::path lines, translations;
  std::int64_t kept = 0;
  std::int64_t left_out = 0;  ///< blank, cut to the length limits, looping, or without translation
};

/// Whether a text is one that was made for a run, by its name in the run's folder.
inline bool is_synthetic_text(const std::filesystem::path& file) {
  const SyntheticText made(file.parent_path());
  return file.parent_path().filename() == synthetic_folder &&
         (file == made.lines || file == made.translations);
}

/// The source tags that mark back-translations, and no language: those of their text alone.
std::set<std::string> back_translation_tags(const DataOptions& data);

/// Translates the texts block by block. Each block is saved with its checksums as soon as it is
/// done, so that the next call continues behind the last one, with the same result to the byte; a
/// complete text is only verified.
/// \throws DataError if a text cannot be read, a reference has another number of lines, no line has
///     text, another process uses the folder, or it holds translations of another `origin` or of
///     other texts
SyntheticText make_synthetic_text(const SyntheticRequest& request,
                                  const LineTranslator& translator);

}  // namespace dragoman
