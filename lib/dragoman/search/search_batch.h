#pragma once

#include "dragoman/search/forced_prefix.h"

#include <cstdint>
#include <span>

namespace dragoman {

/// Which hypotheses a beam search returns.
enum class Returned {
  n_best,  ///< the best SearchOptions::n_best
  all      ///< those first, then all others that the search has found
};

/// Per-sentence inputs of a search.
struct SearchBatch {
  std::span<const std::int64_t> max_lengths;  ///< tokens of a hypothesis at most, EOS included
  ForcedPrefixes prefixes = {};
  std::span<const std::uint64_t> streams = {};  ///< of random numbers; for sampling
  Returned returned = Returned::n_best;         ///< by beam search
};

}  // namespace dragoman
