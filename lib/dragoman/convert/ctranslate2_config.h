#pragma once

#include "dragoman/convert/ctranslate2_file.h"

#include <filesystem>
#include <optional>
#include <string>

namespace dragoman {

/// What config.json says, or in older models model.bin itself. Every key is read or refused.
struct CTranslate2Config {
  std::string unk, bos, eos;
  std::optional<std::string> start;  ///< of every translation; none = the caller gives it
  bool add_source_bos = false;
  bool add_source_eos = false;   ///< false: the caller does it, if the model wants it
  double layer_norm_eps = 1e-5;  ///< CTranslate2's own if the file says nothing
};

/// \param file loses the variables that config.json replaced
/// \throws DataError if the file is missing beside a model of binary version 6; FormatError naming
///     a key that is missing, of the wrong type, unknown, or has a value that cannot be expressed
CTranslate2Config read_ctranslate2_config(const std::filesystem::path& model_dir,
                                          CTranslate2File& file);

}  // namespace dragoman
