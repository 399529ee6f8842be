#pragma once

#include "dragoman/corpus/preflight.h"
#include "dragoman/text/lines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dragoman {

/// One side of a text, line by line, whatever is wrong with it.
class PreflightSide {
 public:
  explicit PreflightSide(const std::string& file);

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
