#include "dragoman/report/wrapped_text.h"

#include <sstream>

namespace dragoman {

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent,
                    std::size_t at) {
  std::string out;
  std::size_t column = at;
  if (at > 0 && at + 2 > indent) {  // no room for two spaces between
    out += '\n';
    column = 0;
  }
  out += std::string(indent - column, ' ');
  column = indent;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    const bool first = column == indent;
    if (!first && column + 1 + word.size() > width) {
      out += '\n' + std::string(indent, ' ') + word;
      column = indent + word.size();
      continue;
    }
    out += (first ? "" : " ") + word;
    column += word.size() + (first ? 0 : 1);
  }
  return out + '\n';
}

}  // namespace dragoman
