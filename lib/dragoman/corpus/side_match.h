#pragma once

#include "dragoman/corpus/line_features.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Lines whose target does not match the source on the same line.
struct Mismatch {
  std::int64_t first = 0;  ///< line numbers from 1; `first` is found to a few lines where shifted
  std::int64_t last = 0;
  bool all = false;  ///< all lines that could be judged
  /// Source line n fits target line n + shift; 0 = it fits none nearby.
  std::int64_t shift = 0;
};

/// Finds out whether line n of the target translates line n of the source, from what survives
/// translation: lengths are correlated, and numbers, names and other words recur. Each is compared
/// with what pairs of lines some distance apart show, so neither the languages nor the scripts
/// matter. At most 40 MB are kept, whatever the size of the text: of a larger one every second
/// block of lines, every fourth, and so on.
class SideMatch {
 public:
  void add(std::string_view source, std::string_view target);

  /// The longest stretch that does not fit, or else an ending that is shifted, of about 160 lines
  /// or more; none if all seems well, or if there are fewer than 100 lines or too little evidence
  /// (all lines of one length, no word on both sides).
  std::optional<Mismatch> mismatch() const;

  /// In how many pairs one side is a part of the other, as where a file is a table of both
  /// languages; none if these are less than half of the pairs that have text.
  std::optional<std::int64_t> contained() const;

  /// Correlation of the logarithms of the lengths, -1 to 1; 0 if all are equal.
  double length_correlation() const;

 private:
  struct Block {
    std::int64_t first;  ///< line number
    std::vector<LineFeatures> source, target;
  };
  struct Evidence;
  struct Scale;

  void thin_out();
  Scale scale() const;
  Evidence weigh(const Block& block, const Scale& scale) const;
  std::optional<Mismatch> longest_mismatch(const Scale& scale) const;
  std::optional<Mismatch> shifted_ending(const Scale& scale) const;
  std::int64_t first_shifted(const std::vector<Evidence>& blocks, std::size_t at,
                             const Scale& scale) const;

  std::vector<Block> blocks_;
  std::int64_t lines_ = 0;
  std::int64_t filled_ = 0, contained_ = 0;  ///< of these
  std::int64_t every_ = 1;                   ///< one of this many blocks is kept
};

/// In plain words: "a.en and a.de: the target seems shifted by 1 line in lines 5001 to 9000: ..."
std::string mismatch_text(const Mismatch& mismatch, const std::string& source_name,
                          const std::string& target_name);

/// The same of `SideMatch::contained`.
std::string table_text(std::int64_t contained, const std::string& source_name,
                       const std::string& target_name);

}  // namespace dragoman
