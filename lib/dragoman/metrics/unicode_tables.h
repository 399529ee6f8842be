#pragma once

#include "dragoman/core/code_points.h"

#include <cstdint>
#include <span>

/// Unicode classes that the metrics depend on, sorted and disjoint.
///
/// How unicode_tables.cpp was generated: `punctuation`, `symbols` and `numbers` are the general
/// categories P*, S* and N* of the `regex` package 2026.11.15 for Python (Unicode 17), which
/// sacreBLEU's "intl" tokenizer uses. `cased`, `case_ignorable` (categories Mn, Me, Cf, Lm, Sk and
/// the word-middle marks of the Unicode standard, section 3.13) and `lower_case` are those of
/// Python 3.11 (Unicode 14), whose `str.lower` sacreBLEU uses; neighbours with the same mapping are
/// merged into runs. A newer version of either may change scores, so the tables are frozen.
namespace dragoman::unicode {

/// Every `stride`-th code point from `first` to `last` has its lower case at an offset of `delta`.
struct LowerCaseRun {
  char32_t first;
  char32_t last;
  std::uint32_t stride;
  std::int32_t delta;
};

extern const std::span<const CodePointRange> punctuation;
extern const std::span<const CodePointRange> symbols;
extern const std::span<const CodePointRange> numbers;
extern const std::span<const CodePointRange> cased;
extern const std::span<const CodePointRange> case_ignorable;
/// One-to-one pairs; without U+0130 and U+03A3, which depend on more than the code point.
extern const std::span<const LowerCaseRun> lower_case;

}  // namespace dragoman::unicode
