#pragma once

#include "dragoman/config/data_options.h"
#include "dragoman/corpus/duplicate_filter.h"
#include "dragoman/text/example.h"
#include "dragoman/text/tokenizer.h"

#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <vector>

namespace dragoman {

/// What happened to the pairs of a corpus. Each pair that is left out is counted once, under the
/// first reason of the order below.
struct CorpusReport {
  std::int64_t read = 0;        ///< pairs of lines
  std::int64_t empty = 0;       ///< left out: a side is blank
  std::int64_t duplicates = 0;  ///< left out: the same pair, in the same languages, occurred before
                                ///< (`drop_duplicates`)
  std::int64_t too_long = 0;    ///< left out: a side has more than `max_length` pieces
  std::int64_t ratio = 0;       ///< left out: the sides differ more than `max_ratio` allows
  std::int64_t kept = 0;

  // Of the pairs that are kept, without EOS.
  std::int64_t source_pieces = 0;
  std::int64_t target_pieces = 0;
  std::int64_t source_unknown = 0;  ///< pieces without an id of their own
  std::int64_t target_unknown = 0;

  CorpusReport& operator+=(const CorpusReport& other);

  /// "2 empty, 1 too long"
  std::string left_out() const;

  /// One line: "40 pairs read, 2 empty, 1 too long, 37 kept (512 source pieces, 0 unknown; 498
  /// target pieces, 0 unknown)".
  std::string text() const;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(CorpusReport, read, empty, duplicates, too_long, ratio, kept,
                                   source_pieces, target_pieces, source_unknown, target_unknown)

/// Some pairs of a text at each call, in order; none at its end.
using PairBlocks = std::function<std::vector<LinePair>()>;

/// Encodes and filters a corpus on all cores. Only a few blocks are in memory at a time: two more
/// than there are cores. (With `drop_duplicates`, `DuplicateFilter` of all pairs too.)
class PairEncoder {
 public:
  PairEncoder(const Vocabulary& vocabulary, const DataOptions& options);

  /// From now on, texts are encoded by these tokenizers: other corpora, other languages.
  void set_vocabulary(const Vocabulary& vocabulary) { vocabulary_ = vocabulary; }

  /// Gives each pair that is kept to `keep`, in the text's order and on the calling thread; both
  /// sides end with EOS. The result does not depend on the number of cores. Duplicates are those of
  /// all calls together.
  CorpusReport encode(const PairBlocks& blocks, const std::function<void(Example&&)>& keep);

 private:
  struct Encoded;
  std::vector<bool> find_duplicates(const std::vector<LinePair>& pairs);
  std::future<Encoded> encode_aside(std::vector<LinePair> pairs, std::vector<bool> duplicate) const;
  Encoded encode_block(const std::vector<LinePair>& pairs,
                       const std::vector<bool>& duplicate) const;
  void encode_pair(const LinePair& pair, Encoded& block) const;

  Vocabulary vocabulary_;
  DataOptions options_;
  DuplicateFilter seen_;
};

/// \throws DataError "PLACE: 0 of 40 pairs are usable: 3 empty, ..." if no pair was kept
void expect_kept(const CorpusReport& report, const DataOptions& options, const std::string& place);

}  // namespace dragoman
