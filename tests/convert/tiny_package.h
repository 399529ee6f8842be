#pragma once

#include "convert/sentencepiece_of.h"
#include "dragoman/core/file.h"
#include "support/shared.h"
#include "support/temporary_directory.h"

#include <filesystem>

namespace test {

/// A copy of interop_tiny's Marian model with what it lacks: decoder.yml and SentencePiece models.
inline std::filesystem::path tiny_package(const TemporaryDirectory& folder) {
  const auto tiny = cases("golden/interop_tiny");
  const auto made = folder / "tiny";
  std::filesystem::create_directories(made);
  for (const char* name : {"model.npz", "vocab.yml"})
    dragoman::write_file_atomically(made / name, dragoman::read_file(tiny / name));
  const auto tokens =
      read_json(tiny / "ctranslate2/shared_vocabulary.json").get<std::vector<std::string>>();
  for (const char* name : {"source.spm", "target.spm"})
    dragoman::write_file_atomically(made / name, sentencepiece_of(tokens));
  dragoman::write_file_atomically(made / "decoder.yml",
                                  "models: [model.npz]\nvocabs: [vocab.yml, vocab.yml]\n");
  return made;
}

}  // namespace test
