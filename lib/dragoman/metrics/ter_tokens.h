#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How TER preprocesses a line; off by default, as in Tercom.
struct TerOptions {
  bool normalized = false;      ///< set off punctuation
  bool no_punctuation = false;  ///< delete . , ? : ; ! " ( )
  bool asian_support = false;   ///< both also for Chinese and Japanese
  bool case_sensitive = false;
};

/// The tokens of one line for TER.
std::vector<std::u32string> ter_tokens(std::string_view line, const TerOptions& options);

}  // namespace dragoman
