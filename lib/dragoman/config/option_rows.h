#pragma once

#include "dragoman/config/option_table.h"

/// The parts of `option_table`, each beside the struct that it describes.
namespace dragoman::options {

using Rows = std::vector<OptionRow>;

Rows model_rows();
/// The options of one attention, for which `key` is such as "model.encoder_attention".
Rows attention_rows(const std::string& key);
Rows tokenizer_rows();
Rows data_rows();
Rows train_rows();
Rows search_rows();

/// Ranges that several options share.
inline constexpr OptionRange count = {0, 1e12};  ///< steps, tokens or sentences; 0 has a meaning
inline constexpr OptionRange positive_count = {1, 1e12};
inline constexpr OptionRange rate = {.low = 0, .high = 1, .below = true};  ///< [0, 1)

}  // namespace dragoman::options
