#pragma once

#include "dragoman/corpus/preflight.h"
#include "dragoman/text/lines.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// Training text is read more than once, and so cannot be a pipe.
enum class TextOf { training, validation };

/// Whether one side of a pair is a part of the other, as where a file is a table of both languages.
inline bool is_contained(std::string_view source, std::string_view target) {
  constexpr std::size_t least = 3;  // bytes; fewer occur anywhere
  return std::min(source.size(), target.size()) >= least && source != target &&
         (source.find(target) != source.npos || target.find(source) != target.npos);
}

/// A warning if half of the pairs or more are so; none otherwise.
std::optional<std::string> table_warning(const std::string& place, std::int64_t contained,
                                         std::int64_t pairs);

/// One side of a text, line by line, whatever is wrong with it.
class PreflightSide {
 public:
  PreflightSide(const std::string& file, TextOf text);

  /// The next line; none at the end, and where the file cannot be used.
  std::optional<std::string> next();

  /// At the end: whether the file is text, and what is wrong with it.
  bool usable() const { return reader_.has_value(); }
  const TextFacts& facts() const { return facts_; }
  void add_problems(std::vector<std::string>& problems) const;

 private:
  template <typename Work>
  void guard(const Work& work);

  std::string first_refusal() const;

  std::optional<LineReader> reader_;
  TextFacts facts_;
  std::int64_t bad_lines_ = 0;
  std::string problem_;  ///< why it cannot be used
};

}  // namespace dragoman
