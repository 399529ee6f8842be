#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

// The lines that SentencePiece's trainer is given to learn from.

/// A text that can be read more than once: each call gives all its lines to the visitor, in order.
using LinePasses = std::function<void(const std::function<void(const std::string&)>&)>;

/// The trainer leaves out longer lines, so they are given in short parts.
inline constexpr std::size_t longest_tokenizer_line = 4096;  // bytes

/// The lines that have text, the longer ones in parts of at most 512 bytes, cut behind blanks
/// or, in a longer word, between characters. Of equal parts, as those of a line that says the same
/// endlessly, the first is kept.
std::vector<std::string> split_tokenizer_lines(std::vector<std::string> lines);

/// At most `limit` of the lines that have text (0 = all), each set of that size equally likely,
/// split as above, in random order: the trainer looks for repetitions across the ends of lines, in
/// time that grows with the square of a passage that occurs twice. Only where there are more lines
/// is the text read a second time; no more than `limit` are in memory.
/// \param what the text's name in messages
/// \throws DataError if the text has fewer lines when it is read again
std::vector<std::string> draw_tokenizer_lines(const LinePasses& text, std::int64_t limit,
                                              std::uint64_t seed, std::string_view what);

}  // namespace dragoman
