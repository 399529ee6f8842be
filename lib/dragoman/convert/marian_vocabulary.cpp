#include "dragoman/convert/marian_vocabulary.h"

#include "dragoman/convert/huggingface_config.h"
#include "dragoman/convert/marian_yaml.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/core/utf8.h"
#include "dragoman/text/piece_table.h"
#include "dragoman/text/sentencepiece_model.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;
PieceIds listed_pieces(const std::string& text, const fs::path& file) {
  if (const auto bad = utf8::find_invalid(text))
    throw FormatError(concat(file.string(), ": is not UTF-8 at byte ", *bad));
  PieceIds pieces;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty())
      throw FormatError(concat(file.string(), ": line ", pieces.size() + 1,
                               " is empty; every line is a piece, so copy it again"));
    pieces.emplace_back(line, std::ssize(pieces));
  }
  return pieces;
}

PieceIds pieces_in_file(const fs::path& file) {
  const auto text = read_regular_file(file);
  const auto extension = file.extension();
  if (extension != ".yml" && extension != ".yaml" && extension != ".json")
    return listed_pieces(text, file);
  if (!text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('{'))
    return parse_marian_vocabulary(text, file.string());
  return read_piece_ids(file);
}

/// By id; ids past the rows are dropped, as Marian does.
std::vector<std::string> pieces_by_id(const PieceIds& listed, std::int64_t rows,
                                      const fs::path& file) {
  const auto refuse = [&](const std::string& fact) {
    throw FormatError(concat(file.string(), ": ", fact, "; copy it again"));
  };
  std::vector<std::optional<std::string>> places(static_cast<std::size_t>(rows));
  std::unordered_set<std::string_view> names;
  for (const auto& [piece, id] : listed) {
    if (id < 0) refuse(concat("has the id ", id));
    if (id >= rows) continue;
    auto& place = places[static_cast<std::size_t>(id)];
    if (place) refuse(concat("two pieces have the id ", id));
    if (!names.insert(piece).second)
      refuse(concat("has the piece ", printable(piece, 40), " twice"));
    place = piece;
  }
  std::vector<std::string> pieces;
  for (auto& place : places) {
    if (!place)
      throw FormatError(concat(file.string(), ": no piece has the id ", pieces.size(),
                               ", but the model has ", rows,
                               " rows; give the vocabulary it was trained with"));
    pieces.push_back(std::move(*place));
  }
  return pieces;
}

std::int64_t special_id(const std::vector<std::string>& pieces, const char* name,
                        const fs::path& file) {
  const auto found = std::ranges::find(pieces, name);
  if (found == pieces.end())
    throw FormatError(concat(file.string(), ": has no piece ", name, ", which Marian needs"));
  return found - pieces.begin();
}

}  // namespace

Tokenizer marian_side(const fs::path& vocabulary, const fs::path& spm, std::int64_t rows) {
  const bool is_spm = vocabulary.extension() == ".spm";
  PieceTable table;
  if (is_spm) {
    table.pieces = sentencepiece_pieces(read_regular_file(vocabulary), vocabulary.string());
    if (std::ssize(table.pieces) != rows)
      throw FormatError(concat(vocabulary.string(), ": has ", table.pieces.size(),
                               " pieces, the model ", rows,
                               " rows; give the vocabulary it was trained with"));
  } else {
    if (!fs::exists(spm))
      throw DataError(concat(spm.string(), ": is missing: ", vocabulary.filename().string(),
                             " lists pieces, but this file is needed to split text into them"));
    table.rules = TextRules::marian;
    table.pieces = pieces_by_id(pieces_in_file(vocabulary), rows, vocabulary);
    expect_pieces_of(load_splitter(spm), spm.string(), {vocabulary, table.pieces});
  }
  const auto eos = special_id(table.pieces, "</s>", vocabulary);
  const auto unk = special_id(table.pieces, "<unk>", vocabulary);
  // Nothing stands for padding or for the begin, where the decoder reads zeros.
  table.special = {.pad = eos, .unk = unk, .bos = eos, .eos = eos};
  const auto& model = is_spm ? vocabulary : spm;
  return Tokenizer::from_bytes(with_piece_table(table, read_regular_file(model)), model.string());
}

}  // namespace dragoman
