#pragma once

#include "dragoman/shortlist/shortlist.h"
#include "dragoman/text/example.h"

#include <cstdint>
#include <span>
#include <string>

namespace dragoman {

/// How much of human translations a shortlist allows.
struct ShortlistCoverage {
  std::int64_t pairs = 0;
  std::int64_t target_pieces = 0;  ///< of the references, without EOS
  std::int64_t covered = 0;        ///< of these, those that the shortlist of their source contains
  std::int64_t complete = 0;       ///< pairs all of whose pieces it contains
  std::int64_t allowed = 0;        ///< sizes of the sentences' shortlists, summed

  /// "98.71 % of 29,000 target pieces, all pieces of 71.2 % of 1,014 sentences, and allows 312 of
  /// 8,000 pieces per sentence". \param vocab_size of the target
  std::string text(std::int64_t vocab_size) const;
};

/// \param pairs whose sides end with EOS
ShortlistCoverage coverage_of(const Shortlist& shortlist, std::span<const Example> pairs);

}  // namespace dragoman
