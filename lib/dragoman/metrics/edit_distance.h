#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Which reference word each edit of a hypothesis affects.
struct WordAlignment {
  std::vector<std::int64_t> link;      ///< [reference_len] position in the hypothesis, -1 before it
  std::vector<char> hypothesis_error;  ///< [hypothesis_len] 1 = deleted or substituted
  std::vector<char> reference_error;   ///< [reference_len] 1 = inserted or substituted
};

/// Word edit distance within a band around the diagonal, as used by TER: for one hypothesis, and
/// for others of its length that are compared with it.
class EditDistance {
 public:
  /// \param reference numbered words; must outlive this object
  /// \param hypothesis_len words of every hypothesis
  EditDistance(std::u32string_view reference, std::size_t hypothesis_len);

  /// The distance of `hypothesis`, [hypothesis_len], with which later ones are compared.
  std::int64_t set_hypothesis(std::u32string_view hypothesis);

  /// The alignment that gives that distance.
  WordAlignment alignment() const;

  /// The distance of another hypothesis, [hypothesis_len]; rows of a common prefix are reused.
  std::int64_t distance_of(std::u32string_view other);

 private:
  using Cost = std::int32_t;
  enum class Edit : std::uint8_t { none, keep, substitute, remove, insert };

  /// Columns of one row that are computed; only they are stored.
  struct Band {
    std::size_t begin;
    std::size_t end;
  };

  Band band(std::size_t row) const;
  /// Where the cell is in costs_ and edits_.
  std::size_t place(std::size_t row, std::size_t column) const;
  /// \param above, costs, edits stored rows
  void fill_row(std::size_t row, char32_t word, const Cost* above, Cost* costs, Edit* edits) const;

  std::u32string_view reference_;
  std::size_t rows_;     // hypothesis words and the row before them
  std::size_t columns_;  // reference words and the column before them
  double slope_;         // reference words per hypothesis word
  std::size_t width_;    // of the band, on each side
  std::size_t stride_;   // cells of a stored row: an unreachable one, the band, unreachable ones
  std::u32string hypothesis_;
  std::vector<Cost> costs_;   // [rows, stride] of the hypothesis
  std::vector<Edit> edits_;   // [rows, stride] last edit on the path to each cell
  std::vector<Cost> other_;   // [2, stride] rows of another hypothesis
  std::vector<Edit> unused_;  // [stride]
};

}  // namespace dragoman
