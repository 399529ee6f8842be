#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// What became of the pairs of a corpus. Each pair that is left out is counted once, under the
/// first reason of the order below.
struct CorpusReport {
  std::int64_t read = 0;        ///< pairs of lines
  std::int64_t empty = 0;       ///< left out: a side is blank
  std::int64_t duplicates = 0;  ///< left out: the same pair came before (`drop_duplicates`)
  std::int64_t too_long = 0;    ///< left out: a side has more than `max_length` pieces
  std::int64_t ratio = 0;       ///< left out: the sides differ more than `max_ratio` allows
  std::int64_t kept = 0;

  // Of the pairs that are kept, without EOS.
  std::int64_t source_pieces = 0;
  std::int64_t target_pieces = 0;
  std::int64_t source_unknown = 0;  ///< pieces without an id of their own
  std::int64_t target_unknown = 0;

  /// One line: "40 pairs read, 2 empty, 1 too long, 37 kept (512 source and 498 target pieces)".
  std::string text() const;
};

/// A corpus as ids.
struct EncodedCorpus {
  std::vector<Example> examples;  ///< in the text's order
  CorpusReport report;
};

/// The names of a corpus in messages: "a.de, b.de and a.en, b.en".
std::string corpus_place(std::span<const std::string> sources,
                         std::span<const std::string> targets);

/// Line n of source file i with line n of target file i.
/// \throws DataError naming both files if their numbers of lines differ, or if no pair has text on
///     both sides; as `LineReader` for what is no text.
/// \throws OptionsError if there is not a target file for each source file.
std::vector<LinePair> read_parallel(std::span<const std::string> sources,
                                    std::span<const std::string> targets);

/// Encodes and filters pairs; the result does not depend on the number of cores.
/// \param place the corpus's name in messages
/// \throws DataError "PLACE: 0 of 40 pairs are usable: ..." if nothing is left.
EncodedCorpus encode_corpus(std::span<const LinePair> pairs, const Vocabulary& vocabulary,
                            const DataOptions& options, std::string_view place);

}  // namespace dragoman
