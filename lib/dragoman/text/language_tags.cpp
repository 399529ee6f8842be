#include "dragoman/text/language_tags.h"

#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/text/piece_table.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dragoman {

namespace {

struct TagForm {
  std::string_view open, close;
};

constexpr TagForm target_form = {">>", "<<"}, source_form = {"<<", ">>"};

std::string tag_of(const std::string& code, const TagForm& form) {
  return concat(form.open, code, form.close);
}

std::vector<std::string> languages_of(const Tokenizer& tokenizer, const TagForm& form) {
  std::vector<std::string> codes;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const auto piece = tokenizer.piece(id);
    if (piece.size() <= form.open.size() + form.close.size() || !piece.starts_with(form.open) ||
        !piece.ends_with(form.close))
      continue;
    codes.push_back(
        piece.substr(form.open.size(), piece.size() - form.open.size() - form.close.size()));
  }
  std::ranges::sort(codes);
  return codes;
}

bool has_piece(const Tokenizer& tokenizer, const std::string& name) {
  return tokenizer.piece(tokenizer.id(name)) == name;
}

std::int32_t tag_id(const Tokenizer& tokenizer, const std::string& code, const TagForm& form) {
  const auto tag = tag_of(code, form);
  if (has_piece(tokenizer, tag)) return tokenizer.id(tag);
  std::string known;
  for (const auto& other : languages_of(tokenizer, form))
    known += (known.empty() ? "" : ", ") + other;
  const char* what = &form == &target_form ? "translates into" : "translates from";
  throw OptionsError(concat(printable(code, 40), ": the model ", what,
                            known.empty() ? " no language by name; leave it out"
                                          : concat(' ', known, "; choose one of these")));
}

/// The table of a tokenizer, as it is or as its ids say.
PieceTable table_of_tokenizer(const Tokenizer& tokenizer) {
  if (auto table = tokenizer_parts(tokenizer.bytes(), "the tokenizer").table)
    return std::move(*table);
  PieceTable table{.rules = TextRules::tags, .special = tokenizer.special()};
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id)
    table.pieces.push_back(tokenizer.piece(id));
  return table;
}

}  // namespace

std::vector<std::string> target_languages(const Tokenizer& source) {
  return languages_of(source, target_form);
}

std::vector<std::string> source_languages(const Tokenizer& source) {
  return languages_of(source, source_form);
}

TargetReminder::TargetReminder(const Tokenizer& source, std::string place)
    : codes_(target_languages(source)), place_(std::move(place)) {
  const auto is_target = [&](const std::string& code) {
    return std::ranges::find(source.prefix(), source.id(tag_of(code, target_form))) !=
           source.prefix().end();
  };
  if (codes_.size() < 2 || std::ranges::any_of(codes_, is_target)) codes_.clear();
}

void TargetReminder::tell(std::int64_t number, std::string_view line) {
  const auto names = [&](const std::string& code) {
    return line.starts_with(tag_of(code, target_form));
  };
  if (codes_.empty() || line.empty() || std::ranges::any_of(codes_, names)) return;
  log_warning(concat(place_, ": line ", number,
                     ": names no language, and the model translates into ", codes_.size(),
                     " languages: name one by --to, or begin each line with its "
                     "tag, such as ",
                     tag_of(codes_.front(), target_form)));
  codes_.clear();
}

Tokenizer with_languages(const Tokenizer& source, const Languages& languages) {
  std::vector<std::int32_t> prefix;
  if (!languages.target.empty()) prefix.push_back(tag_id(source, languages.target, target_form));
  if (!languages.source.empty()) prefix.push_back(tag_id(source, languages.source, source_form));
  return prefix.empty() ? source : source.with_prefix(std::move(prefix));
}

Languages languages_of_file(const DataOptions& options, std::size_t file) {
  const auto tag = [file](const std::vector<std::string>& tags) {
    return tags.empty() ? std::string() : tags[file];
  };
  return {.source = tag(options.source_tag), .target = tag(options.target_tag)};
}

Vocabulary with_language_tags(const Vocabulary& vocabulary, const DataOptions& options) {
  std::vector<std::pair<std::string, bool>> missing;  // the tag, and whether it is a target's
  const auto note = [&](const std::vector<std::string>& codes, const TagForm& form) {
    for (const auto& code : codes) {
      const std::pair tag(tag_of(code, form), &form == &target_form);
      if (!code.empty() && !has_piece(vocabulary.source, tag.first) &&
          std::ranges::find(missing, tag) == missing.end())
        missing.push_back(tag);
    }
  };
  note(options.target_tag, target_form);
  note(options.source_tag, source_form);
  if (missing.empty()) return vocabulary;
  auto table = table_of_tokenizer(vocabulary.source);
  for (const auto& [tag, is_target] : missing) {
    const auto id = static_cast<std::int32_t>(table.pieces.size());
    table.pieces.push_back(tag);
    table.not_text.push_back(id);
    if (is_target) table.literals.push_back(id);
  }
  const auto tagged = Tokenizer::from_bytes(
      with_piece_table(table, vocabulary.source.sentencepiece()), "the tokenizer with languages");
  return {.source = tagged,
          .target = vocabulary.joint ? tagged : vocabulary.target,
          .joint = vocabulary.joint};
}

}  // namespace dragoman
