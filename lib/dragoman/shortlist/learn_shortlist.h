#pragma once

#include "dragoman/shortlist/bitext.h"
#include "dragoman/shortlist/shortlist.h"

#include <cstdint>

namespace dragoman {

/// What a learned shortlist contains.
struct LearnShortlistOptions {
  std::int64_t first = 100;  ///< most frequent target pieces, which are always allowed
  std::int64_t best = 100;   ///< target pieces of a source piece at most
  double threshold = 0.0;    ///< least P(target | source)
  std::int64_t threads = 1;

  /// \throws OptionsError naming the first option out of range
  void validate() const;
};

/// Learns a shortlist: aligns the text (`Aligner`), and takes as P(target | source) the share of
/// the source piece's links, or the aligner's own probability if that is larger: many pieces that
/// are nowhere linked are possible translations. The same for any number of threads.
/// \throws DataError if the text has no pair
Shortlist learn_shortlist(const Bitext& text, const ShortlistVocabulary& vocabulary,
                          const LearnShortlistOptions& options);

}  // namespace dragoman
