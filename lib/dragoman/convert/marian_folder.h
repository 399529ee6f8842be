#pragma once

#include "dragoman/config/search_options.h"

#include <filesystem>
#include <optional>

namespace dragoman {

/// The files of a Marian model and how it is to be searched.
struct MarianFolder {
  std::filesystem::path model;                                 ///< .npz or .bin
  std::filesystem::path source_vocabulary, target_vocabulary;  ///< .spm, .yml, .json or a list
  std::optional<std::filesystem::path> shortlist = {};         ///< binary
  SearchOptions search = {};
};

/// Whether the folder has a decoder.yml, a file that ends so, or the files of a Firefox model.
bool is_marian(const std::filesystem::path& folder);

/// What decoder.yml names; or else the files of a Firefox model: model.*.bin, vocab.*.spm or
/// srcvocab.*.spm and trgvocab.*.spm, and maybe lex.*.bin, searched as Firefox does.
/// \throws DataError if a file is missing, compressed, or there are several of a kind; FormatError
///     if decoder.yml cannot be expressed, or names files outside the folder
MarianFolder find_marian_files(const std::filesystem::path& folder);

}  // namespace dragoman
