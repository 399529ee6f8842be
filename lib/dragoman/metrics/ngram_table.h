#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// The n-grams of some texts, counted once, for comparing each text with all others: clipped
/// matches as by `clipped_matches`.
class NgramTable {
 public:
  /// \param texts of symbols, as for `clipped_matches`
  NgramTable(std::span<const std::u32string> texts, std::size_t max_order);

  std::size_t texts() const { return lengths_.size(); }
  std::size_t length(std::size_t text) const { return lengths_[text]; }  ///< symbols

  /// The matches of one text with each, itself included.
  /// \param matches set to [texts * max_order], for n = 1..max_order
  void match_all(std::size_t text, std::vector<std::int64_t>& matches);

 private:
  struct Count {
    std::uint32_t ngram;  ///< its number among those of all texts
    std::uint32_t times;
  };

  std::span<const Count> counts(std::size_t text, std::size_t order) const {
    const auto place = text * max_order_ + order - 1;
    return std::span(counts_).subspan(begins_[place], begins_[place + 1] - begins_[place]);
  }

  std::size_t max_order_;
  std::vector<std::size_t> lengths_;
  std::vector<Count> counts_;         // of each text and order, after another
  std::vector<std::size_t> begins_;   // of each text and order in counts_, and the end
  std::vector<std::uint32_t> times_;  // of each n-gram in the text that is compared, else 0
};

}  // namespace dragoman
