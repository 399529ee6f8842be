#include "dragoman/translate/source_line.h"

#include "dragoman/text/sentences.h"

namespace dragoman {

namespace {

/// Bytes that are encoded at once at most: of a sentence of megabytes only the first pieces are
/// kept anyway.
constexpr std::size_t most_bytes = std::size_t{1} << 20;

bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// The first `most_bytes` of `text`, or a little less: no character is torn.
std::string_view front_of(std::string_view text) {
  auto end = most_bytes;
  while (end > 0 && continues_character(text[end])) --end;
  return text.substr(0, end);
}

void add_sentence(SourceLine& line, std::string_view sentence, const Tokenizer& tokenizer,
                  std::int64_t max_length) {
  const bool huge = sentence.size() > most_bytes;
  auto ids = tokenizer.encode(huge ? front_of(sentence) : sentence);
  const bool longer = std::ssize(ids) > max_length;
  if (longer) ids.resize(static_cast<std::size_t>(max_length));
  line.cut |= huge || longer;
  if (!ids.empty()) line.parts.push_back(std::move(ids));
}

}  // namespace

SourceLine encode_source(std::string_view line, const Tokenizer& tokenizer,
                         std::int64_t max_length) {
  SourceLine result;
  if (line.size() <= most_bytes) {
    auto ids = tokenizer.encode(line);
    if (std::ssize(ids) <= max_length) {
      if (!ids.empty()) result.parts.push_back(std::move(ids));
      return result;
    }
  }
  const auto sentences = split_sentences(line);
  result.split = sentences.size() > 1;
  for (const auto& sentence : sentences) add_sentence(result, sentence, tokenizer, max_length);
  return result;
}

}  // namespace dragoman
