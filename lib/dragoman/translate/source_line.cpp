#include "dragoman/translate/source_line.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/stop.h"
#include "dragoman/core/utf8.h"
#include "dragoman/text/sentences.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// Maximum number of bytes encoded at once: of a sentence of megabytes only the first pieces are
/// kept anyway.
constexpr std::size_t most_bytes = std::size_t{1} << 20;

/// Adds the first `max_length` pieces of a part, unless it has nothing but languages.
/// \param text whose pieces `ids` are
void keep_part(SourceLine& line, std::vector<std::int32_t> ids, std::string_view text, bool cut,
               const Tokenizer& tokenizer, std::int64_t max_length) {
  const auto languages = tokenizer.prefix().size() + (tokenizer.own_tag(text).empty() ? 0 : 1);
  const bool longer = std::ssize(ids) > max_length;
  cut |= longer;
  line.cut |= cut;
  if (ids.size() == languages) return;
  if (longer) ids.resize(static_cast<std::size_t>(max_length));
  if (!line.unknown) line.unknown = first_unknown(text, ids, tokenizer);
  line.parts.push_back(std::move(ids));
  line.texts.emplace_back(text);
  line.cuts.push_back(cut);
}

void add_sentence(SourceLine& line, std::string_view sentence, const Tokenizer& tokenizer,
                  std::int64_t max_length) {
  const bool huge = sentence.size() > most_bytes;
  const auto text = utf8::front(sentence, most_bytes);
  keep_part(line, tokenizer.encode(text), text, huge, tokenizer, max_length);
}

}  // namespace

std::optional<char32_t> first_unknown(std::string_view text, std::span<const std::int32_t> ids,
                                      const Tokenizer& tokenizer) {
  const auto has_unknown = [&](std::span<const std::int32_t> pieces) {
    return std::ranges::find(pieces, tokenizer.special().unk) != pieces.end();
  };
  if (!has_unknown(ids)) return std::nullopt;
  for (auto at = tokenizer.own_tag(text).size(); at < text.size();) {
    const auto [character, length] = utf8::decode(text, at);
    if (has_unknown(tokenizer.encode(text.substr(at, length)))) return character;
    at += length;
  }
  return std::nullopt;
}

SourceLine encode_source(std::string_view line, const Tokenizer& tokenizer, std::int64_t max_length,
                         const std::stop_token& stop) {
  SourceLine result;
  if (line.size() <= most_bytes) {
    auto ids = tokenizer.encode(line);
    if (std::ssize(ids) <= max_length) {
      keep_part(result, std::move(ids), line, /*cut=*/false, tokenizer, max_length);
      return result;
    }
  }
  // Each sentence has the line's tag.
  const auto tag = tokenizer.own_tag(line);
  const auto sentences = split_sentences(line.substr(tag.size()));
  result.split = sentences.size() > 1;
  for (const auto& sentence : sentences) {
    expect_no_stop(stop);
    add_sentence(result, tag.empty() ? sentence : concat(tag, ' ', sentence), tokenizer,
                 max_length);
  }
  return result;
}

}  // namespace dragoman
