#include "dragoman/convert/token_side.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/piece_table.h"
#include "dragoman/text/sentencepiece_model.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace dragoman {

namespace {

namespace fs = std::filesystem;
using PlaceOfToken = std::unordered_map<std::string_view, std::int64_t>;

/// The first place of each.
PlaceOfToken by_token(const TokenList& list) {
  PlaceOfToken places;
  for (std::size_t i = 0; i < list.tokens.size(); ++i)
    places.emplace(list.tokens[i], static_cast<std::int64_t>(i));
  return places;
}

/// The model with its own ids, where an end or a begin that it lacks is the unknown piece.
Tokenizer with_own_ids(const std::string& model, const std::string& place) {
  PieceTable table{.pieces = sentencepiece_pieces(model, place)};
  const auto place_of = [&](std::string_view name, std::int64_t or_else) {
    const auto found = std::ranges::find(table.pieces, name);
    return found == table.pieces.end() ? or_else : found - table.pieces.begin();
  };
  const auto unk = place_of("<unk>", 0);
  const auto eos = place_of("</s>", unk);
  table.special = {.pad = eos, .unk = unk, .bos = eos, .eos = eos};
  return Tokenizer::from_bytes(with_piece_table(table, model), place);
}

/// Hides the tokens of other languages than those of the prefix from the text, too.
void add_other_languages(PieceTable& table, const Tokenizer& tokenizer) {
  const auto form = language_form(table.pieces[static_cast<std::size_t>(table.prefix.front())]);
  if (form == LanguageForm::none) return;
  std::set<std::string> of_text;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) of_text.insert(tokenizer.piece(id));
  for (std::size_t i = 0; i < table.pieces.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    if (language_form(table.pieces[i]) == form && !of_text.contains(table.pieces[i]) &&
        std::ranges::find(table.prefix, id) == table.prefix.end())
      table.not_text.push_back(id);
  }
}

}  // namespace

LanguageForm language_form(std::string_view token) {
  const auto is_framed = [&](std::string_view open, std::string_view close) {
    return token.size() > open.size() + close.size() && token.starts_with(open) &&
           token.ends_with(close);
  };
  if (is_framed("__", "__")) return LanguageForm::m2m100;
  if (is_framed(">>", "<<")) return LanguageForm::marian;
  const auto code = std::min(token.find('_'), token.size());
  const auto in_range = [](std::string_view text, char first, char last) {
    return std::ranges::all_of(text, [&](char c) { return c >= first && c <= last; });
  };
  const bool is_code_and_script = (code == 2 || code == 3) && token.size() == code + 5 &&
                                  in_range(token.substr(0, code), 'a', 'z') &&
                                  in_range(token.substr(code + 1, 1), 'A', 'Z') &&
                                  in_range(token.substr(code + 2), 'a', 'z');
  return is_code_and_script ? LanguageForm::nllb : LanguageForm::none;
}

void expect_pieces_of(const Tokenizer& tokenizer, const std::string& name, const TokenList& list,
                      bool tell) {
  const auto places = by_token(list);
  std::int64_t missing = 0, all = 0;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const auto piece = tokenizer.piece(id);
    if (id == tokenizer.special().pad && piece == "<pad>") continue;
    ++all;
    if (!places.contains(piece)) ++missing;
  }
  const auto fact = concat(list.file.string(), ": has no token for ", missing, " of the ", all,
                           " pieces of ", name);
  if (missing * 2 > all) throw FormatError(fact + "; give those this model was trained with");
  if (missing > 0 && tell) log_info(fact + "; they become the unknown token");
}

bool TokenList::has(const std::string& token) const {
  return std::ranges::find(tokens, token) != tokens.end();
}

std::int64_t TokenList::id(const std::string& token, const char* what) const {
  const auto found = std::ranges::find(tokens, token);
  if (found == tokens.end())
    throw FormatError(concat(file.string(), ": has no token ", printable(token, 40),
                             ", which is the model's ", what));
  return found - tokens.begin();
}

std::int32_t TokenList::language_id(const std::string& language, const char* option) const {
  // M2M100's vocabulary also has the piece "en" of ordinary texts, so "__en__" comes first.
  for (const auto& name : {"__" + language + "__", ">>" + language + "<<", language})
    if (has(name)) return static_cast<std::int32_t>(id(name, "language"));
  throw OptionsError(concat("convert ", option, ": ", file.string(),
                            " has no token for the language ", printable(language, 40),
                            "; name it as the file does"));
}

std::vector<std::int64_t> TokenSide::rows_by(const Tokenizer& tokenizer) const {
  if (!prefix.empty() || !source_eos || tokenizer.vocab_size() != std::ssize(list.tokens))
    return {};
  const auto places = by_token(list);
  std::vector<std::int64_t> rows;
  for (std::int32_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const auto found = places.find(tokenizer.piece(id));
    if (found == places.end()) return {};
    rows.push_back(found->second);
  }
  const auto own = tokenizer.special();
  const auto row_of = [&](std::int64_t id) { return rows[static_cast<std::size_t>(id)]; };
  const bool same_meaning = row_of(own.eos) == special.eos && row_of(own.unk) == special.unk &&
                            (special.bos < 0 || row_of(own.bos) == special.bos);
  return same_meaning ? rows : std::vector<std::int64_t>();
}

Tokenizer TokenSide::with_table(const Tokenizer& tokenizer, bool tell) const {
  expect_pieces_of(tokenizer, "the tokenizer", list, tell);
  PieceTable table{.pieces = list.tokens, .special = special, .prefix = prefix};
  if (special.bos < 0) table.special.bos = special.eos;
  const auto is_language = [](const std::string& token) {
    return language_form(token) == LanguageForm::marian;
  };
  if (std::ranges::any_of(list.tokens, is_language)) table.rules = TextRules::marian;
  table.not_text = prefix;
  if (!prefix.empty()) add_other_languages(table, tokenizer);
  table.source_eos = source_eos;
  table.validate(list.file.string());
  return Tokenizer::from_bytes(with_piece_table(table, tokenizer.sentencepiece()),
                               list.file.string());
}

void expect_plain_texts(const Vocabulary& vocabulary, const char* format) {
  const auto refuse = [&](const std::string& fact) {
    throw OptionsError(concat("tokenizer: ", fact, ", which cannot be represented in ", format));
  };
  for (const auto& [tokenizer, side] :
       {std::pair{&vocabulary.source, "source"}, {&vocabulary.target, "target"}}) {
    if (!tokenizer->languages().empty()) refuse("every text begins with its language");
    if (!tokenizer->prefix().empty())
      refuse(concat("every text of the ", side, " begins with ",
                    tokenizer->piece(tokenizer->prefix().front())));
  }
  if (!vocabulary.source.ends_sources()) refuse("sources do not end with EOS");
}

Tokenizer load_splitter(const fs::path& file) {
  const auto model = read_regular_file(file);
  if (!tokenizer_parts(model, file.string()).table) {
    const auto pieces = sentencepiece_pieces(model, file.string());
    const auto has = [&](std::string_view name) {
      return std::ranges::find(pieces, name) != pieces.end();
    };
    if (!has("<s>") || !has("</s>")) return with_own_ids(model, file.string());
  }
  return Tokenizer::from_bytes(model, file.string());
}

Vocabulary tokenizers_beside(const fs::path& folder) {
  for (const char* ours : {"tokenizer.model", "tokenizer.source.model"})
    if (fs::exists(folder / ours)) return load_vocabulary(folder);
  if (fs::exists(folder / "source.spm") && fs::exists(folder / "target.spm"))
    return {.source = load_splitter(folder / "source.spm"),
            .target = load_splitter(folder / "target.spm"),
            .joint = false};
  for (const char* name : {"sentencepiece.bpe.model", "sentencepiece.model"}) {
    if (!fs::exists(folder / name)) continue;
    const auto both = load_splitter(folder / name);
    return {.source = both, .target = both, .joint = true};
  }
  throw DataError(concat(folder.string(),
                         ": has no tokenizer.model, nor source.spm and target.spm; give the "
                         "SentencePiece model with --tokenizer"));
}

}  // namespace dragoman
