#pragma once

#include "dragoman/config/vocabulary_sizes.h"
#include "dragoman/shortlist/bitext.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace dragoman {

/// The pairs of a source and a target piece whose probabilities an aligner estimates: of each
/// source piece those target pieces that occur in the same sentence pairs and are most strongly
/// associated with it, by Dice's coefficient. So the memory has a bound that the text does not
/// raise.
class CandidatePairs {
 public:
  static constexpr std::size_t most_of_source = 500;

  CandidatePairs(const Bitext& text, const VocabularySizes& sizes, std::int64_t threads);

  std::size_t size() const { return targets_.size(); }
  std::size_t sources() const { return offsets_.size() - 1; }

  /// The index of the first pair of a source piece; `begin_of(source + 1)` is the end.
  std::size_t begin_of(std::size_t source) const { return offsets_[source]; }

  std::int32_t target_of(std::size_t pair) const { return targets_[pair]; }

  /// The indices of all pairs of a sentence, `none` where there is none.
  /// \param indices [source.size(), target.size()], written
  static constexpr std::uint32_t none = 0xFFFFFFFF;
  void find(Bitext::Ids source, Bitext::Ids target, std::vector<std::uint32_t>& indices) const;

 private:
  std::vector<std::size_t> offsets_;
  std::vector<std::int32_t> targets_;  // of each source piece, ascending
};

}  // namespace dragoman
