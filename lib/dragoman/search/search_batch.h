#pragma once

#include "dragoman/search/forced_prefix.h"
#include "dragoman/text/special_ids.h"

#include <cstdint>
#include <span>

namespace dragoman {

/// Which hypotheses a beam search returns.
enum class Returned {
  n_best,  ///< SearchOptions::n_best of them
  all      ///< those first, then all others that the search has found
};

/// What is searched for: the sentences, apart from the scorer that knows their sources. It only
/// views its lists, each of which has one entry per sentence.
struct SearchBatch {
  /// Tokens of a hypothesis at most, EOS included; at least 1.
  std::span<const std::int64_t> max_lengths;
  ForcedPrefixes prefixes = {};
  /// Tokens at the start of each prefix that are not scored: those of the target language.
  std::int64_t free_tokens = 0;
  std::span<const std::uint64_t> streams = {};  ///< of random numbers; sampling needs them
  /// BOS begins and EOS ends a hypothesis; BOS and pad are never generated, unk as
  /// `SearchOptions::unknown` says.
  SpecialIds special = {};
  Returned returned = Returned::n_best;  ///< by beam search
};

}  // namespace dragoman
