#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dragoman {

/// A set of pieces of a vocabulary, one bit for each.
class PieceSet {
 public:
  explicit PieceSet(std::int64_t vocab_size)
      : words_(static_cast<std::size_t>(vocab_size + 63) / 64) {}

  void insert(std::int64_t piece) { words_[word_of(piece)] |= bit_of(piece); }
  bool contains(std::int64_t piece) const { return (words_[word_of(piece)] & bit_of(piece)) != 0; }
  void clear() { std::ranges::fill(words_, 0); }

  /// Adds the pieces of a set of the same vocabulary.
  void insert_all(const PieceSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }

  std::int64_t size() const {
    std::int64_t count = 0;
    for (const auto word : words_) count += std::popcount(word);
    return count;
  }

  /// Its pieces, ascending.
  std::vector<std::int32_t> pieces() const {
    std::vector<std::int32_t> found;
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (auto word = words_[i]; word != 0; word &= word - 1)
        found.push_back(static_cast<std::int32_t>(i * 64) + std::countr_zero(word));
    return found;
  }

 private:
  static std::size_t word_of(std::int64_t piece) { return static_cast<std::size_t>(piece) / 64; }
  static std::uint64_t bit_of(std::int64_t piece) { return std::uint64_t{1} << (piece % 64); }

  std::vector<std::uint64_t> words_;
};

}  // namespace dragoman
