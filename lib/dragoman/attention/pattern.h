#pragma once

#include "dragoman/attention/key_subset.h"

#include <cstdint>

namespace dragoman {

/// Which keys a query attends to, determined by positions in the sequence alone.
class Pattern {
 public:
  virtual ~Pattern() = default;

  /// The definition. Positions count from 0. A query always attends to its own position.
  virtual bool allows(std::int64_t query, std::int64_t key) const = 0;

  /// Subsets that together contain each allowed pair of a sequence exactly once.
  /// \param causal true: pairs whose key follows the query may be omitted
  virtual KeySubsets subsets(std::int64_t len, bool causal) const = 0;

  /// The average number of keys of a query in a sequence of `len` tokens, without regard to the ends
  /// of the sequence, where there are fewer.
  virtual double keys_per_query(double len) const = 0;
};

}  // namespace dragoman
