#pragma once

#include "dragoman/config/auto_preset.h"
#include "dragoman/config/overrides.h"
#include "dragoman/config/run_options.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The words of a line: runs of anything but blanks that are not all punctuation marks. Of scripts
/// that write words without blanks between them (Chinese, Japanese, Thai, Lao, Khmer, Burmese), two
/// characters count as a word.
std::int64_t words_in(std::string_view line);

/// Reads a corpus once, and counts the pairs with text on both sides.
/// \throws DataError, OptionsError as `ParallelText` does
CorpusSize corpus_size(std::span<const std::string> sources, std::span<const std::string> targets);

/// A configuration by the size of its own training text, and why it is this one.
struct AutoOptions {
  RunOptions options;
  std::string reason =
      {};  ///< for the log: "preset auto: 5,000 pairs with 61,040 target words, ..."
};

/// What `--preset auto` stands for: the choice of `choose_preset` for the training text that
/// `settings` and `flags` name, changed by all of them. With a schedule of their own they get what
/// the preset has besides, not `AutoPreset::training`; with another number of updates its learning
/// rate falls until then.
/// \param more_text there will be more training text than they name, too much for that
/// \throws OptionsError if they name no training text, and as `DataOptions::validate` and
///     `parse_run_options`; DataError as `expect_regular` and `corpus_size`
AutoOptions auto_run_options(const std::vector<std::string>& settings,
                             const std::vector<OptionFlag>& flags, bool more_text = false);

}  // namespace dragoman
