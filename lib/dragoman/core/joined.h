#pragma once

#include <iterator>
#include <string>
#include <string_view>

namespace dragoman {

/// The words with `last` before the last one and `separator` between the others: "a, b and c".
/// \param words a range of texts
template <typename Words>
std::string joined(const Words& words, std::string_view separator, std::string_view last) {
  std::string text;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (word != words.begin()) text += std::next(word) == words.end() ? last : separator;
    text += *word;
  }
  return text;
}

template <typename Words>
std::string joined(const Words& words, std::string_view separator = ", ") {
  return joined(words, separator, separator);
}

}  // namespace dragoman
