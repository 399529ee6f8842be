#include "dragoman/text/language_tags.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/joined.h"
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

/// What a line begins with if it looks like a tag of a target language; else empty.
std::string tag_in_front(std::string_view line) {
  const auto& [open, close] = target_form;
  if (!line.starts_with(open)) return {};
  const auto end = line.find(close);
  const auto code = line.substr(0, std::min(end, line.size())).substr(open.size());
  const bool is_tag =
      end != std::string_view::npos && !code.empty() && code.find(' ') == std::string_view::npos;
  return is_tag ? std::string(line.substr(0, end + close.size())) : std::string();
}

bool has_piece(const Tokenizer& tokenizer, const std::string& name) {
  return tokenizer.piece(tokenizer.id(name)) == name;
}

/// \param giver what named the language, as `LanguageGivers`
[[noreturn]] void refuse_language(const std::string& code, const char* role,
                                  const std::vector<std::string>& known, const std::string& giver) {
  const auto place = concat(giver, giver.empty() ? "" : " ", printable(code, 40));
  if (known.empty())
    throw OptionsError(concat(place, ": the model offers no choice of languages to ", "translate ",
                              role, "; leave it out"));
  throw OptionsError(
      concat(place, ": the model translates ", role, ' ', joined(known), "; choose one of these"));
}

std::int32_t tag_id(const Tokenizer& tokenizer, const std::string& code, const TagForm& form,
                    const std::string& giver) {
  const auto tag = tag_of(code, form);
  if (has_piece(tokenizer, tag)) return tokenizer.id(tag);
  refuse_language(code, &form == &target_form ? "into" : "from", languages_of(tokenizer, form),
                  giver);
}

std::vector<std::string> codes_of(const LanguageIds& languages) {
  std::vector<std::string> codes;
  for (const auto& [code, id] : languages) codes.push_back(code);
  return codes;
}

/// A side of a model that has a token for each language.
Tokenizer with_language(const Tokenizer& side, const std::string& given, const char* role,
                        const std::string& giver) {
  return given.empty() ? side
                       : side.with_prefix({language_id(side.languages(), given, role, giver)});
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

std::string language_code(const std::string& token) {
  const bool is_marked = token.size() > 4 && token.starts_with("__") && token.ends_with("__");
  return is_marked ? token.substr(2, token.size() - 4) : token;
}

std::int32_t language_id(const LanguageIds& languages, const std::string& given, const char* role,
                         const std::string& giver) {
  const auto found = languages.find(language_code(given));
  if (found == languages.end()) refuse_language(given, role, codes_of(languages), giver);
  return found->second;
}

std::vector<std::string> target_languages(const Vocabulary& vocabulary) {
  auto codes = codes_of(vocabulary.target.languages());
  return codes.empty() ? languages_of(vocabulary.source, target_form) : codes;
}

std::vector<std::string> source_languages(const Vocabulary& vocabulary) {
  auto codes = codes_of(vocabulary.source.languages());
  return codes.empty() ? languages_of(vocabulary.source, source_form) : codes;
}

bool has_languages(const Vocabulary& vocabulary) {
  return !target_languages(vocabulary).empty() || !source_languages(vocabulary).empty();
}

std::vector<std::int32_t> language_tokens(const Tokenizer& side) {
  std::vector<std::int32_t> ids;
  for (const auto& [code, id] : side.languages()) ids.push_back(id);
  for (const auto* form : {&target_form, &source_form})
    for (const auto& code : languages_of(side, *form)) ids.push_back(side.id(tag_of(code, *form)));
  return ids;
}

TargetReminder::TargetReminder(const Tokenizer& source, const DataOptions& trained_on,
                               std::string place, bool has_option)
    : codes_(languages_of(source, target_form)), place_(std::move(place)), has_option_(has_option) {
  const auto is_target = [&](const std::string& code) {
    return std::ranges::find(source.prefix(), source.id(tag_of(code, target_form))) !=
           source.prefix().end();
  };
  const auto& tags = trained_on.target_tag;
  if (codes_.size() == 1 && std::ranges::find(tags, std::string()) != tags.end()) codes_.clear();
  is_chosen_ = std::ranges::any_of(codes_, is_target);
}

void TargetReminder::tell(std::int64_t number, std::string_view line) {
  const auto names = [&](const std::string& code) {
    return line.starts_with(tag_of(code, target_form));
  };
  if (codes_.empty() || line.empty()) return;
  const auto own = std::ranges::find_if(codes_, names);
  const auto other = own == codes_.end() ? tag_in_front(line) : std::string();
  if (!other.empty()) {
    log_warning(concat(place_, ": line ", number, ": ", printable(other, 40),
                       " is not a target language of this model, which translates into ",
                       joined(codes_), ", and is read as text"));
    codes_.clear();
    return;
  }
  if ((own != codes_.end()) != is_chosen_) return;
  if (is_chosen_)
    log_warning(concat(place_, ": line ", number, ": begins with ", tag_of(*own, target_form),
                       ", and a target language is given for all lines, too: remove the tag, or "
                       "leave out --to"));
  else
    tell_of_none(number);
  codes_.clear();
}

void TargetReminder::tell_of_none(std::int64_t number) const {
  const bool is_one = codes_.size() == 1;
  const auto known = is_one ? std::string("has a tag for one")
                            : concat("translates into ", codes_.size(), " languages");
  const auto option =
      has_option_ ? concat("name ", is_one ? "it" : "one", " by --to, or ") : std::string();
  log_warning(concat(place_, ": line ", number, ": names no language, and the model ", known, ": ",
                     option, "begin each line with its tag, ", is_one ? "" : "such as ",
                     tag_of(codes_.front(), target_form)));
}

Vocabulary with_languages(const Vocabulary& vocabulary, const Languages& languages,
                          const LanguageGivers& givers) {
  auto result = vocabulary;
  const auto& source = vocabulary.source;
  if (!source.languages().empty()) {
    result.source = with_language(source, languages.source, "from", givers.source);
    result.target = with_language(vocabulary.target, languages.target, "into", givers.target);
    for (const auto* side : {&result.source, &result.target}) side->expect_language();
    return result;
  }
  std::vector<std::int32_t> prefix;
  if (!languages.target.empty())
    prefix.push_back(tag_id(source, languages.target, target_form, givers.target));
  if (!languages.source.empty())
    prefix.push_back(tag_id(source, languages.source, source_form, givers.source));
  if (!prefix.empty()) result.source = source.with_prefix(std::move(prefix));
  return result;
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
