#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dragoman {

/// Sentence pairs in memory for an aligner, as ids without EOS. If there are more than asked for,
/// every second, fourth, eighth .. one is kept, so that they are from all of the text.
class Bitext {
 public:
  using Ids = std::span<const std::int32_t>;

  /// Pairs with a longer side align badly and slowly; they are left out.
  static constexpr std::size_t longest_side = 128;

  /// \param most_pairs kept; 0 = all
  explicit Bitext(std::size_t most_pairs = 0) : most_pairs_(most_pairs) {}

  /// Ids of a pair, without EOS.
  void add(Ids source, Ids target);

  std::size_t size() const { return ends_.size() / 2; }  ///< pairs kept
  std::size_t too_long() const { return too_long_; }     ///< pairs left out
  std::size_t every() const { return every_; }           ///< one of how many was kept

  /// \param index below `size`
  Ids source(std::size_t index) const { return side(2 * index); }
  Ids target(std::size_t index) const { return side(2 * index + 1); }

 private:
  Ids side(std::size_t index) const {
    const auto begin = index == 0 ? 0 : ends_[index - 1];
    return std::span(ids_).subspan(begin, ends_[index] - begin);
  }
  void append(Ids side);
  void drop_every_second();

  std::size_t most_pairs_;
  std::size_t every_ = 1, seen_ = 0, too_long_ = 0;
  std::vector<std::int32_t> ids_;
  std::vector<std::size_t> ends_;  // of each side: source, target, source, ..
};

}  // namespace dragoman
