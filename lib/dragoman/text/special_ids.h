#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace dragoman {

/// Ids that a model has to distinguish from text, as its tokenizer has them.
struct SpecialIds {
  std::int64_t pad = 0;  ///< only fills; masks go by length, never by this id
  std::int64_t unk = 1;
  std::int64_t bos = 2;
  std::int64_t eos = 3;
};

/// Ids of the tokens of languages, by their codes.
using LanguageIds = std::map<std::string, std::int32_t>;

}  // namespace dragoman
