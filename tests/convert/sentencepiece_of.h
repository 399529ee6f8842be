#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace test {

/// A SentencePiece unigram model whose pieces are these tokens, for models that come without one:
/// its protobuf, written by hand. `<unk>` and those in pointed brackets are no text.
inline std::string sentencepiece_of(const std::vector<std::string>& tokens) {
  const auto varint = [](std::size_t value) {
    std::string bytes;
    for (; value >= 128; value >>= 7) bytes += static_cast<char>(value % 128 + 128);
    return bytes + static_cast<char>(value);
  };
  const auto field = [&](int number, const std::string& content) {
    return static_cast<char>(number * 8 + 2) + varint(content.size()) + content;
  };
  const auto score = [](float value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return "\x15" + bytes;
  };
  std::string model;
  std::size_t count = 0;
  const auto add = [&](const std::string& token) {
    const char type = token == "<unk>" ? 2 : token.starts_with('<') ? 3 : 1;
    model += field(1, field(1, token) + score(-static_cast<float>(++count)) + "\x18" + type);
  };
  for (const auto& token : tokens) add(token);
  for (const std::string needed : {"<unk>", "<s>", "</s>", "\u2581"})
    if (std::ranges::find(tokens, needed) == tokens.end()) add(needed);
  model += field(2, std::string("\x18\x01", 2));  // unigram
  return model + field(3, field(1, "identity"));
}

}  // namespace test
