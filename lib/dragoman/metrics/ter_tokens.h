#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dragoman {

/// How TER prepares a line; as off as the program Tercom has them.
struct TerOptions {
  bool normalized = false;      ///< set off punctuation
  bool no_punctuation = false;  ///< delete . , ? : ; ! " ( )
  bool asian_support = false;   ///< both also for Chinese and Japanese
  bool case_sensitive = false;
};

/// The tokens of one line, as TER counts them.
std::vector<std::u32string> ter_tokens(std::string_view line, const TerOptions& options);

}  // namespace dragoman
