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

/// What else the training has than the text that its settings name.
struct AutoUse {
  bool more_text = false;       ///< too much for the training that suits that text alone
  bool has_vocabulary = false;  ///< no tokenizer is learned
  bool is_check = false;        ///< errors in the texts are left to `check_texts` to report
};

/// What `--preset auto` stands for: the choice of `choose_preset` for the training text that
/// `settings` and `flags` name, changed by all of them. Where NFKC would replace characters of the
/// target text, they are kept as they are (`tokenizer.normalization`), and where the validation
/// text has no spaces between words, its BLEU is one of characters (`train.bleu_tokenizer`). With a
/// schedule of their own they get what the preset has besides, not `AutoPreset::training`; with
/// another number of updates its learning rate falls until then. Of texts with errors, the
/// warnings of `glance_at_texts` are logged first; a check gets the options for the smallest ones.
/// \throws OptionsError if they name no training text, and as `DataOptions::validate` and
///     `parse_run_options`; DataError as `expect_regular` and `corpus_size`
AutoOptions auto_run_options(const std::vector<std::string>& settings,
                             const std::vector<OptionFlag>& flags, const AutoUse& use = {});

}  // namespace dragoman
