#include "dragoman/shortlist/shortlist_text.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/shortlist/shortlist_file.h"
#include "dragoman/text/lines.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

std::vector<std::string_view> fields_of(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> fields;
  for (std::size_t begin = text.find_first_not_of(separators); begin != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(separators, begin), text.size());
    fields.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(separators, end);
  }
  return fields;
}

[[noreturn]] void refuse_line(const std::string& place, std::int64_t number,
                              const std::string& fact, const char* remedy) {
  throw FormatError(concat(place, ": line ", number, ": ", fact, "; ", remedy));
}

/// The pieces of a file, as ids.
class PieceIds {
 public:
  PieceIds(const Vocabulary& vocabulary, std::string place)
      : vocabulary_(vocabulary), place_(std::move(place)) {}

  std::int32_t source(std::string_view piece) { return id(vocabulary_.source, piece); }
  std::int32_t target(std::string_view piece) { return id(vocabulary_.target, piece); }

  /// To be called at the end of the file.
  void tell_unknown() const {
    if (unknown_ == 0) return;
    if (4 * unknown_ > all_)
      throw FormatError(concat(place_, ": ", unknown_, " of ", all_,
                               " pieces are not in the vocabulary, such as '", printable(example_),
                               "'; use the shortlist of this model"));
    log_warning(concat(place_, ": ", unknown_, " of ", all_, " pieces are not in the vocabulary, '",
                       printable(example_), "' for one; they are read as the unknown piece"));
  }

 private:
  std::int32_t id(const Tokenizer& tokenizer, std::string_view piece) {
    const auto found = tokenizer.id(piece);
    ++all_;
    if (found != tokenizer.special().unk || piece == tokenizer.piece(found)) return found;
    if (unknown_++ == 0) example_ = piece;
    return found;
  }

  const Vocabulary& vocabulary_;
  std::string place_;
  std::int64_t all_ = 0, unknown_ = 0;
  std::string example_;
};

/// A piece as a word of a line.
std::string word_of(const Tokenizer& tokenizer, std::int64_t id) {
  auto piece = tokenizer.piece(static_cast<std::int32_t>(id));
  if (piece.empty() || piece.find_first_of(" \t\r\n") != std::string::npos)
    throw DataError(concat("shortlist: piece ", id, ", '", printable(piece),
                           "', contains a space, which separates pieces in text files; "
                           "write the format "
                           "marian"));
  return piece;
}

/// What is always allowed, by the first ids or the list of EOS.
Shortlist::Ids always_allowed(const Shortlist& shortlist) {
  PieceSet pieces(shortlist.vocabulary.sizes.target);
  for (std::int64_t id = 0; id < shortlist.first; ++id) pieces.insert(id);
  for (const auto id : shortlist.of(shortlist.vocabulary.source.eos)) pieces.insert(id);
  return pieces.pieces();
}

void append_words(std::string& text, std::span<const std::int32_t> ids,
                  const Tokenizer& tokenizer) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    text += (i == 0 ? "" : " ") + word_of(tokenizer, ids[i]);
}

}  // namespace

Shortlist read_marian_text(const std::filesystem::path& path, const Vocabulary& vocabulary) {
  LineReader reader(path, LineUse::scoring);
  PieceIds ids(vocabulary, reader.place());
  std::vector<LexicalEntry> entries;
  while (const auto line = reader.next()) {
    const auto fields = fields_of(line->text, " \t");
    if (fields.size() != 3)
      refuse_line(reader.place(), line->number, concat("has ", fields.size(), " fields"),
                  "a shortlist's lines are TARGET SOURCE PROBABILITY");
    double probability = 0.0;
    const auto* end = fields[2].data() + fields[2].size();
    const auto read = std::from_chars(fields[2].data(), end, probability);
    // Out of range above, or so near to 0 that it is.
    const bool tiny = read.ec == std::errc::result_out_of_range && !fields[2].starts_with('-') &&
                      fields[2].find('-') != std::string::npos;
    if ((read.ec != std::errc{} && !tiny) || read.ptr != end || !(probability >= 0.0) ||
        probability > 1.0)
      refuse_line(reader.place(), line->number,
                  concat('\'', printable(fields[2]), "' is not a probability"),
                  "give a number from 0 to 1");
    if (fields[0] == "NULL" || fields[1] == "NULL") continue;
    const auto target = ids.target(fields[0]);
    entries.push_back({ids.source(fields[1]), target, static_cast<float>(probability)});
  }
  if (entries.empty())
    throw FormatError(concat(reader.place(),
                             ": has no entries; a shortlist's lines are TARGET "
                             "SOURCE PROBABILITY"));
  ids.tell_unknown();
  return make_shortlist(shortlist_vocabulary(vocabulary), std::move(entries));
}

std::string marian_text(const Shortlist& shortlist, const Vocabulary& vocabulary) {
  std::string text;
  const auto& of = shortlist.vocabulary;
  const auto add = [&](std::int64_t source, std::int64_t target, double probability) {
    char number[32];
    std::snprintf(number, sizeof number, " %.9g\n", probability);
    text += word_of(vocabulary.target, target) + ' ' + word_of(vocabulary.source, source) + number;
  };
  const auto own = shortlist.of(of.source.eos);
  for (std::int64_t id = 0; id < shortlist.first; ++id)
    if (!std::ranges::binary_search(own, id))
      add(of.source.eos, id, 1.0 / static_cast<double>(shortlist.first));
  for (std::int64_t source = 0; source < of.sizes.source; ++source) {
    const auto targets = shortlist.of(source);
    const auto begin = shortlist.offsets[static_cast<std::size_t>(source)];
    for (std::size_t i = 0; i < targets.size(); ++i)
      add(source, targets[i],
          shortlist.probabilities.empty()
              ? 1.0 / static_cast<double>(targets.size())
              : static_cast<double>(shortlist.probabilities[begin + i]));
  }
  return text;
}

Shortlist read_vocabulary_map(const std::filesystem::path& path, const Vocabulary& vocabulary) {
  LineReader reader(path, LineUse::scoring);
  PieceIds ids(vocabulary, reader.place());
  const auto of = shortlist_vocabulary(vocabulary);
  std::map<std::string, Shortlist::Ids, std::less<>> lists;  // of single pieces, by their names
  std::vector<LexicalEntry> entries;
  Shortlist phrases;
  while (const auto line = reader.next()) {
    const std::string_view text = line->text;
    const auto tab = text.find('\t');
    if (tab == std::string_view::npos || text.find('\t', tab + 1) != std::string_view::npos)
      refuse_line(reader.place(), line->number, "does not have one tab",
                  "a vocabulary map's lines are SOURCE ..<TAB>TARGET ..");
    Shortlist::Ids source, list;
    const auto names = fields_of(text.substr(0, tab), " ");
    for (const auto piece : names) source.push_back(ids.source(piece));
    for (const auto piece : fields_of(text.substr(tab + 1), " ")) list.push_back(ids.target(piece));
    if (source.size() > 1) {
      std::ranges::sort(list);
      phrases.add_phrase(std::move(source), std::move(list));
    } else if (source.size() == 1) {
      lists.insert_or_assign(std::string(names.front()), std::move(list));
    } else {
      for (const auto target : list)
        entries.push_back({static_cast<std::int32_t>(of.source.eos), target});
    }
  }
  ids.tell_unknown();
  for (const auto& [name, list] : lists)
    for (const auto target : list) entries.push_back({vocabulary.source.id(name), target});
  auto shortlist = make_shortlist(of, std::move(entries));
  shortlist.probabilities.clear();
  shortlist.phrases = std::move(phrases.phrases);
  shortlist.phrase_lengths = phrases.phrase_lengths;
  return shortlist;
}

namespace {

/// The list of a piece; of a joint vocabulary with the piece itself, which CTranslate2 does not
/// add.
std::vector<std::int32_t> list_in_map(const Shortlist& shortlist, std::int64_t source) {
  const auto& of = shortlist.vocabulary;
  const auto own = shortlist.of(source);
  std::vector<std::int32_t> list(own.begin(), own.end());
  const auto id = static_cast<std::int32_t>(source);
  const bool is_text = id != of.source.pad && id != of.source.bos && id != of.source.unk;
  const auto place = std::ranges::lower_bound(list, id);
  if (of.joint && is_text && (place == list.end() || *place != id)) list.insert(place, id);
  return list;
}

}  // namespace

std::string vocabulary_map(const Shortlist& shortlist, const Vocabulary& vocabulary) {
  std::string text = "\t";
  append_words(text, always_allowed(shortlist), vocabulary.target);
  text += '\n';
  const auto& of = shortlist.vocabulary;
  for (std::int64_t source = 0; source < of.sizes.source; ++source) {
    if (source == of.source.eos) continue;
    const auto list = list_in_map(shortlist, source);
    if (list.empty()) continue;
    text += word_of(vocabulary.source, source) + '\t';
    append_words(text, list, vocabulary.target);
    text += '\n';
  }
  for (const auto& [source, list] : shortlist.phrases) {
    append_words(text, source, vocabulary.source);
    text += '\t';
    append_words(text, list, vocabulary.target);
    text += '\n';
  }
  return text;
}

}  // namespace dragoman
