#pragma once

#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace dragoman {

/// A line as the model takes it: one part, or its sentences where it is too long.
struct SourceLine {
  std::vector<std::vector<std::int32_t>> parts;  ///< ids without EOS; none is empty
  bool split = false;  ///< at sentence ends
  bool cut = false;    ///< a part had more than `max_length` pieces; only the first ones are there
};

/// Encodes a line. A blank one has no parts.
/// \param max_length pieces of a part at most, EOS not counted
SourceLine encode_source(std::string_view line, const Tokenizer& tokenizer,
                         std::int64_t max_length);

}  // namespace dragoman
