#include "dragoman/translate/synthetic_files.h"

#include "dragoman/run/model_file.h"

#include <cstddef>

namespace dragoman {

bool is_synthetic_text(const std::filesystem::path& file) {
  const SyntheticFiles made(file.parent_path());
  return file.parent_path().filename() == synthetic_folder &&
         (file == made.lines || file == made.translations);
}

std::set<std::string> back_translation_tags(const DataOptions& data) {
  std::set<std::string> tags, of_corpora;
  for (std::size_t i = 0; i < data.source_tag.size() && i < data.train_source.size(); ++i) {
    auto& kind = is_synthetic_text(data.train_source[i]) ? tags : of_corpora;
    kind.insert(data.source_tag[i]);
  }
  std::erase_if(tags, [&](const auto& tag) { return tag.empty() || of_corpora.contains(tag); });
  return tags;
}

}  // namespace dragoman
