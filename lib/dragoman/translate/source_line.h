#pragma once

#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// A line as the model reads it: one part, or its sentences if it is too long.
struct SourceLine {
  std::vector<std::vector<std::int32_t>> parts;  ///< ids without EOS; none is empty
  std::vector<std::string> texts;  ///< of each part, whose first pieces are those; may be longer
  /// Of each part: it was longer than `max_length` pieces or 1 MiB, and its end is left out.
  std::vector<bool> cuts;
  bool split = false;               ///< at sentence ends
  bool cut = false;                 ///< any part
  std::optional<char32_t> unknown;  ///< the first character of the parts that the vocabulary lacks
};

/// Encodes a line. A blank one has no parts.
/// \param max_length pieces of a part at most, EOS not counted
/// \throws Cancelled before the next sentence once `stop` asks for it
SourceLine encode_source(std::string_view line, const Tokenizer& tokenizer, std::int64_t max_length,
                         const std::stop_token& stop = {});

/// The first character of `text`, valid UTF-8, that the vocabulary lacks: by itself it is encoded
/// as the unknown piece, which is one of the text's.
/// \param ids of the text's pieces
std::optional<char32_t> first_unknown(std::string_view text, std::span<const std::int32_t> ids,
                                      const Tokenizer& tokenizer);

}  // namespace dragoman
