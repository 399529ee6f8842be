#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dragoman {

/// One sentence and its translation: UTF-8 without a line end, an empty text where the line is
/// blank.
struct LinePair {
  std::string source;
  std::string target;
};

/// One sentence pair as pieces; both sides end with EOS.
struct Example {
  std::vector<std::int32_t> source_ids;
  std::vector<std::int32_t> target_ids;
};

/// Ids that a model has to distinguish from text, as its tokenizer has them.
struct SpecialIds {
  std::int64_t pad = 0;  ///< only fills; masks go by length, never by this id
  std::int64_t unk = 1;
  std::int64_t bos = 2;
  std::int64_t eos = 3;
};

}  // namespace dragoman
