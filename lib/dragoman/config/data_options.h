#pragma once

#include "dragoman/core/error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// The text a model is trained on, and which pairs of it are used.
struct DataOptions {
  std::vector<std::string> train_source;  ///< files, plain or .gz; relative to the working folder
  std::vector<std::string> train_target;  ///< the same number of files, line for line
  /// For each pair of files, how often its pairs occur in an epoch: 2 = twice, 0.5 = a new random
  /// half each time; none = all once.
  std::vector<double> weights;
  /// For each pair of files, the language of its source and of its target, none = "": tags in front
  /// of the source (Johnson et al. 2017), so that one model translates between several languages.
  std::vector<std::string> source_tag;
  std::vector<std::string> target_tag;
  std::string valid_source;  ///< one file; empty = no validation
  std::string valid_target;
  std::int64_t max_length = 256;  ///< pieces; a pair with a longer side is left out
  double max_ratio = 0.0;         ///< longer side / shorter side in pieces; 0 = no filter
  bool drop_duplicates = false;   ///< keep the first of equal pairs only
  std::int64_t prefetch = 4;      ///< updates whose batches are made ahead of the trainer
  /// How freely the training text is cut into other pieces each time it is read, 0 = never: of a
  /// BPE tokenizer the share of merges left out, 0.1 usual; of unigram the power of each
  /// segmentation's probability, 0.2 to 0.5 usual. Batches get somewhat more tokens than
  /// `train.batch_tokens`.
  double subword_sampling = 0.0;
  double token_dropout = 0.0;  ///< share of the tokens a model reads that become unknown

  /// \throws OptionsError naming the first option out of range.
  void validate() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DataOptions, train_source, train_target, weights,
                                                source_tag, target_tag, valid_source, valid_target,
                                                max_length, max_ratio, drop_duplicates, prefetch,
                                                subword_sampling, token_dropout)

/// \throws OptionsError naming `place` if a language tag has other characters than letters and digits
///     of ASCII, _ and -
void require_tag(std::string_view place, const std::string& tag);

}  // namespace dragoman
