#include "dragoman/experiment/tasks/words.h"

#include <sstream>

namespace dragoman {

Words split_words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  Words words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

std::string join_words(const Words& words) {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += ' ';
    text += word;
  }
  return text;
}

Words letters(char first, std::int64_t count) {
  Words words;
  for (std::int64_t i = 0; i < count; ++i) words.emplace_back(1, static_cast<char>(first + i));
  return words;
}

}  // namespace dragoman
