#pragma once

#include "dragoman/config/tokenizer_options.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"
#include "dragoman/text/tokenizer_lines.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dragoman {

/// Parallel text that can be read more than once, as `LinePasses`.
using PairPasses = std::function<void(const std::function<void(const LinePair&)>&)>;

/// Learns a SentencePiece model and returns it as a file holds it. Ids: PAD 0, UNK 1, BOS 2, EOS 3.
/// The same lines and options give the same bytes on any number of cores. A text of more lines than
/// `options.max_sentences` is read a second time and that many are drawn, each set of that size
/// equally likely; more are never in memory.
/// \param seed of the draw, where there are more lines than that
/// \param what the text's name in messages
/// \throws OptionsError naming the smallest possible vocab_size, or with `options.hard_vocab_limit`
///     the largest, if the text does not allow the one asked for; DataError if there is no text.
std::string learn_tokenizer(const LinePasses& text, const TokenizerOptions& options,
                            std::uint64_t seed, std::string_view what);

/// The same from lines in memory.
std::string learn_tokenizer(std::span<const std::string> lines, const TokenizerOptions& options,
                            std::uint64_t seed, std::string_view what);

/// A tokenizer whose pieces are the characters of the lines as `normalization` leaves them, learned
/// in milliseconds, to see what that changes. Nothing if none can be learned, as from blank lines.
std::optional<Tokenizer> character_tokenizer(std::span<const std::string> lines,
                                             Normalization normalization, const std::string& what);

/// Learns one tokenizer for both sides, or one for each (`options.joint`).
/// \param source_name, target_name the texts' names in messages
Vocabulary learn_vocabulary(const PairPasses& text, const TokenizerOptions& options,
                            std::uint64_t seed, const std::string& source_name,
                            const std::string& target_name);

/// The same from pairs in memory.
Vocabulary learn_vocabulary(std::span<const LinePair> pairs, const TokenizerOptions& options,
                            std::uint64_t seed, const std::string& source_name,
                            const std::string& target_name);

}  // namespace dragoman
