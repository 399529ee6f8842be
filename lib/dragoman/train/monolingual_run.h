#pragma once

#include "dragoman/config/run_options.h"
#include "dragoman/text/tokenizer.h"

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace dragoman {

/// The inputs of training a classifier or a language model. The configuration's `data.train_source`
/// names the texts, `data.train_target` their labels, line by line; for a language model both name
/// the texts. `data.valid_source` and `data.valid_target` likewise.
struct MonolingualRequest {
  RunOptions options;
  std::filesystem::path run_dir;
  std::optional<std::filesystem::path> tokenizer = {};  ///< instead of learning one
};

/// The tokenizer of an existing run in the folder, else the one named in the request, else one
/// learned from `texts`.
/// \throws DataError, FormatError, OptionsError as `Tokenizer::load` and `learn_tokenizer` do
Tokenizer tokenizer_of(const MonolingualRequest& request, std::span<const std::string> texts);

/// The same tokenizer for both sides, as a checkpoint stores it.
Vocabulary joint_vocabulary(const Tokenizer& tokenizer);

}  // namespace dragoman
