#include "dragoman/text/piece_table.h"

#include "dragoman/config/enum_names.h"
#include "dragoman/config/strict_json.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <unordered_set>

namespace dragoman {

DRAGOMAN_ENUM_NAMES(TextRules, {{TextRules::plain, "plain"},
                                {TextRules::marian, "marian"},
                                {TextRules::tags, "tags"}})

namespace {

constexpr std::string_view table_begin = "dragoman piece table 1\n";
constexpr std::string_view table_remedy = "; restore the file, or convert the model again";

[[noreturn]] void damaged_table(const std::string& place, std::string_view fact) {
  throw FormatError(concat(place, ": its piece table ", fact, table_remedy));
}

/// A field of the table in the C++ type that it has. \throws FormatError
template <typename Field>
Field table_field(const nlohmann::json& json, const char* name, const std::string& place) {
  try {
    return json.at(name).get<Field>();
  } catch (const nlohmann::json::exception&) {
    damaged_table(place, concat("has no proper field ", name));
  }
}

/// \throws FormatError
std::int32_t table_id(const nlohmann::json& json, const char* name, const std::string& place) {
  if (!json.is_number_integer() || json < 0 || json > std::numeric_limits<std::int32_t>::max())
    damaged_table(place, concat("has no proper ids in ", name));
  return json.get<std::int32_t>();
}

PieceTable table_of(const nlohmann::json& json, const std::string& place) {
  const auto id = [&](const char* name) {
    return table_id(table_field<nlohmann::json>(json, name, place), name, place);
  };
  const auto ids = [&](const char* name) {
    std::vector<std::int32_t> found;
    for (const auto& each : table_field<nlohmann::json::array_t>(json, name, place))
      found.push_back(table_id(each, name, place));
    return found;
  };
  PieceTable table;
  table.rules = table_field<TextRules>(json, "rules", place);
  table.pieces = table_field<std::vector<std::string>>(json, "pieces", place);
  table.special = {.pad = id("pad"), .unk = id("unk"), .bos = id("bos"), .eos = id("eos")};
  table.prefix = ids("prefix");
  table.literals = ids("literals");
  table.not_text = ids("not_text");
  if (json.contains("source_eos")) table.source_eos = table_field<bool>(json, "source_eos", place);
  if (json.contains("languages"))
    for (const auto& [code, each] : table_field<nlohmann::json::object_t>(json, "languages", place))
      table.languages.emplace(code, table_id(each, "languages", place));
  // The JSON form gives the first of the rules for a name that it does not know.
  if (json.at("rules") != nlohmann::json(table.rules)) damaged_table(place, "has unknown rules");
  table.validate(place);
  return table;
}

/// A place in a text.
struct FoundLiteral {
  std::size_t at = std::string_view::npos;
  std::size_t length = 0;
};

/// Finds the literals of a text one after the other. Each is looked for again only behind its last
/// place, so that the time grows with the text's length, not with its square.
class LiteralSearch {
 public:
  LiteralSearch(std::string_view text, const PieceTable& table) : text_(text) {
    for (const auto id : table.literals)
      if (const std::string_view name = table.pieces[static_cast<std::size_t>(id)]; !name.empty())
        literals_.push_back({name, text.find(name)});
  }

  /// The first from `begin` on, the longest if several begin there.
  FoundLiteral next(std::size_t begin) {
    FoundLiteral first;
    for (auto& [name, at] : literals_) {
      if (at < begin) at = text_.find(name, begin);
      if (at < first.at || (at == first.at && name.size() > first.length && at != text_.npos))
        first = {at, name.size()};
    }
    return first;
  }

 private:
  struct Literal {
    std::string_view name;
    std::size_t at;  ///< its next place
  };
  std::string_view text_;
  std::vector<Literal> literals_;
};

/// What lies between literals: perhaps a language at its front.
void add_plain(std::vector<TextPart>& parts, std::string_view text, TextRules rules) {
  const auto tag = rules == TextRules::marian ? leading_tag(text) : std::string_view();
  if (!tag.empty()) parts.push_back({tag, true});
  text.remove_prefix(tag.size());
  if (!text.empty()) parts.push_back({text, false});
}

}  // namespace

void PieceTable::validate(const std::string& place) const {
  std::unordered_set<std::string_view> names;
  for (const auto& piece : pieces)
    if (!names.insert(piece).second)
      damaged_table(place, concat("has the piece ", printable(piece, 40), " twice"));
  const auto expect_id = [&](std::int64_t id) {
    if (id < 0 || id >= std::ssize(pieces))
      damaged_table(place, concat("names the id ", id, ", but has ", pieces.size(), " pieces"));
  };
  for (const auto id : {special.pad, special.unk, special.bos, special.eos}) expect_id(id);
  for (const auto* list : {&prefix, &literals, &not_text})
    for (const auto id : *list) expect_id(id);
  for (const auto& [code, id] : languages) expect_id(id);
}

std::string with_piece_table(const PieceTable& table, std::string_view sentencepiece) {
  nlohmann::ordered_json json{{"rules", nlohmann::json(table.rules)},
                              {"pad", table.special.pad},
                              {"unk", table.special.unk},
                              {"bos", table.special.bos},
                              {"eos", table.special.eos},
                              {"prefix", table.prefix},
                              {"literals", table.literals},
                              {"not_text", table.not_text},
                              {"pieces", table.pieces}};
  if (!table.source_eos) json["source_eos"] = false;
  if (!table.languages.empty()) json["languages"] = table.languages;
  const auto text = json.dump();
  return concat(table_begin, text.size(), '\n', text, '\n', sentencepiece);
}

TokenizerParts tokenizer_parts(std::string_view bytes, const std::string& place) {
  if (!bytes.starts_with(table_begin)) return {std::nullopt, bytes};
  auto rest = bytes.substr(table_begin.size());
  std::size_t size = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
  const auto digits = static_cast<std::size_t>(end - rest.data());
  if (error != std::errc() || digits >= rest.size() || rest[digits] != '\n')
    damaged_table(place, "has no length");
  rest.remove_prefix(digits + 1);
  if (size >= rest.size() || rest[size] != '\n') damaged_table(place, "ends too early");
  nlohmann::json json;
  try {
    json = parse_strict_json(rest.substr(0, size), place);
  } catch (const OptionsError& fault) {
    throw FormatError(concat(fault.what(), table_remedy));
  }
  return {table_of(json, place), rest.substr(size + 1)};
}

std::string_view leading_tag(std::string_view text) {
  constexpr std::string_view open = ">>", close = "<<";
  if (!text.starts_with(open)) return {};
  const auto end = text.find(close);
  return end == std::string_view::npos ? std::string_view() : text.substr(0, end + close.size());
}

std::vector<TextPart> text_parts(std::string_view text, const PieceTable& table) {
  std::vector<TextPart> parts;
  if (table.rules == TextRules::tags) {
    for (const auto id : table.literals) {
      const auto& name = table.pieces[static_cast<std::size_t>(id)];
      if (name.empty() || !text.starts_with(name)) continue;
      parts.push_back({text.substr(0, name.size()), true});
      text.remove_prefix(name.size());
      break;
    }
    if (!text.empty()) parts.push_back({text, false});
    return parts;
  }
  LiteralSearch search(text, table);
  std::size_t begin = 0;
  for (auto found = search.next(begin); found.length > 0; found = search.next(begin)) {
    add_plain(parts, text.substr(begin, found.at - begin), table.rules);
    parts.push_back({text.substr(found.at, found.length), true});
    begin = found.at + found.length;
  }
  add_plain(parts, text.substr(begin), table.rules);
  return parts;
}

}  // namespace dragoman
