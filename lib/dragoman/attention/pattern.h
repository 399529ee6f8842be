#pragma once

#include "dragoman/attention/key_subset.h"

#include <cstdint>
#include <utility>

namespace dragoman {

/// Which keys a query attends to, determined by positions in the sequence alone.
class Pattern {
 public:
  /// \param rule the definition. A query always attends to its own position.
  explicit Pattern(PositionRule rule) : rule_(std::move(rule)) {}
  virtual ~Pattern() = default;

  /// The definition, for one pair.
  bool allows(std::int64_t query, std::int64_t key) const { return rule_(query, key); }

  const PositionRule& rule() const { return rule_; }

  /// Subsets that together contain each allowed pair of a sequence exactly once.
  /// \param causal true: pairs whose key follows the query may be omitted
  virtual KeySubsets subsets(std::int64_t len, bool causal) const = 0;

 private:
  PositionRule rule_;
};

}  // namespace dragoman
