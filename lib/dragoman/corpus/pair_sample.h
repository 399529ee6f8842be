#pragma once

#include "dragoman/text/example.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace dragoman {

/// Pairs drawn from a text while it is read, each set of that size equally likely; the whole text
/// if it has no more.
class PairSample {
 public:
  /// A pair and where it is from.
  struct Drawn {
    LinePair pair;
    std::size_t file;     ///< number of its pair of files, from 0
    std::int64_t number;  ///< of the pair in the text, from 0
  };

  /// \param most pairs kept
  explicit PairSample(std::size_t most, std::uint64_t seed = 1) : most_(most), random_(seed) {}

  void add(std::size_t file, const LinePair& pair);

  /// In the text's order.
  std::vector<Drawn> take() &&;

  bool complete() const { return seen_ <= static_cast<std::int64_t>(most_); }
  std::int64_t seen() const { return seen_; }

 private:
  std::size_t most_;
  std::mt19937_64 random_;
  std::int64_t seen_ = 0;
  std::vector<Drawn> drawn_;
};

}  // namespace dragoman
