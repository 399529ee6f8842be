#pragma once

#include <locale>
#include <sstream>
#include <string>

namespace dragoman {

/// Joins its arguments as `operator<<` prints them, whatever the locale.
template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  (text << ... << parts);
  return text.str();
}

}  // namespace dragoman
