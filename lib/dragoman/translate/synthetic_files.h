#pragma once

#include "dragoman/config/data_options.h"

#include <filesystem>
#include <set>
#include <string>

namespace dragoman {

/// Where a text that was made for a training has its lines and their translations, line for line.
struct SyntheticFiles {
  explicit SyntheticFiles(const std::filesystem::path& folder)
      : lines(folder / "lines.txt"), translations(folder / "translations.txt") {}

  std::filesystem::path lines, translations;
};

/// Whether a text is one that was made for a run, by its name in the run's folder.
bool is_synthetic_text(const std::filesystem::path& file);

/// The source tags that mark back-translations, and no language: those of their text alone.
std::set<std::string> back_translation_tags(const DataOptions& data);

}  // namespace dragoman
