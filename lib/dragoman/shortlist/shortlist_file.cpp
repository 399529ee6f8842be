#include "dragoman/shortlist/shortlist_file.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/shortlist/marian_binary.h"
#include "dragoman/shortlist/shortlist_text.h"
#include "dragoman/storage/mapped_file.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

/// A line of vmap.txt has one tab; Marian separates its three fields by blanks or two tabs.
bool is_vocabulary_map(std::string_view bytes) {
  return std::ranges::count(bytes.substr(0, bytes.find('\n')), '\t') == 1;
}

void expect_no_phrases(const Shortlist& shortlist) {
  if (shortlist.phrases.empty()) return;
  throw DataError(concat("shortlist: has ", shortlist.phrases.size(),
                         " phrases of several source pieces, which Marian's files cannot hold; "
                         "write the format ctranslate2"));
}

/// Whether an id is the same piece on both sides, also where each has a tokenizer of its own.
bool have_same_pieces(const Vocabulary& vocabulary) {
  const auto& [source, target, joint] = vocabulary;
  if (joint) return true;
  if (source.vocab_size() != target.vocab_size()) return false;
  for (std::int32_t id = 0; id < source.vocab_size(); ++id)
    if (source.piece(id) != target.piece(id)) return false;
  return true;
}

}  // namespace

ShortlistVocabulary shortlist_vocabulary(const Vocabulary& vocabulary) {
  return {
      .sizes = {.source = vocabulary.source.vocab_size(), .target = vocabulary.target.vocab_size()},
      .source = vocabulary.source.special(),
      .target = vocabulary.target.special(),
      .joint = have_same_pieces(vocabulary)};
}

ReadShortlist read_shortlist(const std::filesystem::path& path, const Vocabulary& vocabulary) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (is_marian_binary(bytes))
    return {.shortlist = read_marian_binary(bytes, shortlist_vocabulary(vocabulary), path.string()),
            .format = ShortlistFormat::marian};
  if (bytes.find('\0') != std::string_view::npos)
    throw FormatError(concat(path.string(),
                             ": is neither text nor a binary shortlist of Marian, which begins "
                             "with its magic number; a compressed file has to be unpacked first"));
  if (is_vocabulary_map(bytes))
    return {.shortlist = read_vocabulary_map(path, vocabulary),
            .format = ShortlistFormat::ctranslate2};
  return {.shortlist = read_marian_text(path, vocabulary), .format = ShortlistFormat::marian_text};
}

Shortlist load_shortlist(const std::filesystem::path& path, const Vocabulary& vocabulary) {
  auto read = read_shortlist(path, vocabulary);
  if (read.format != ShortlistFormat::marian_text) return std::move(read.shortlist);
  auto shortlist = cut_down(read.shortlist, {.best = marian_best});
  shortlist.first = std::min(marian_first, shortlist.vocabulary.sizes.target);
  return shortlist;
}

std::string shortlist_bytes(const Shortlist& shortlist, const Vocabulary& vocabulary,
                            ShortlistFormat format) {
  if (format == ShortlistFormat::ctranslate2) return vocabulary_map(shortlist, vocabulary);
  expect_no_phrases(shortlist);
  return format == ShortlistFormat::marian ? marian_binary(shortlist)
                                           : marian_text(shortlist, vocabulary);
}

}  // namespace dragoman
