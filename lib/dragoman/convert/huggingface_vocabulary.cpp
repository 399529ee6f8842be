#include "dragoman/convert/huggingface_vocabulary.h"

#include "dragoman/convert/huggingface_added_tokens.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/text/piece_table.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

using PiecesById = std::vector<std::optional<std::string>>;

[[noreturn]] void refuse_pieces(const fs::path& file, const std::string& fact) {
  throw FormatError(concat(file.string(), ": ", fact));
}

void put_piece(PiecesById& pieces, const std::string& piece, std::int64_t id,
               const fs::path& file) {
  if (id < 0 || id >= std::ssize(pieces))
    refuse_pieces(file, concat("the piece ", printable(piece, 40), " has the id ", id,
                               ", but the model has only ", pieces.size(), " rows"));
  auto& place = pieces[static_cast<std::size_t>(id)];
  if (place) refuse_pieces(file, concat("two pieces have the id ", id));
  place = piece;
}

PiecesById marian_mt_pieces(const fs::path& file, std::int64_t rows) {
  PiecesById found(static_cast<std::size_t>(rows));
  for (const auto& [piece, id] : read_piece_ids(file)) put_piece(found, piece, id, file);
  return found;
}

/// Those that the vocabulary lacks. Both sides have them, with one id; special ones of the
/// vocabulary, such as padding, may have an id on each side.
void put_added(PiecesById& pieces, const AddedTokens& added, const fs::path& vocabulary) {
  for (const auto& token : added.tokens) {
    const auto known = std::ranges::find(pieces, std::optional(token.text));
    if (known == pieces.end())
      put_piece(pieces, token.text, token.id, added.file);
    else if (!token.is_special && known - pieces.begin() != token.id)
      refuse_pieces(added.file, concat("the token ", printable(token.text, 40), " has the id ",
                                       token.id, ", but in ", vocabulary.string(), " it is ",
                                       known - pieces.begin(), "; keep one of the two"));
  }
}

/// Behind the last piece, rows that only fill the matrix up get names, as a reader of M2M100 names
/// them: `transformers` computes their logits too.
/// \param pad has this id if no piece has it
std::vector<std::string> without_gaps(PiecesById found, std::int64_t pad, const fs::path& file) {
  if (pad >= 0 && pad < std::ssize(found) && !found[static_cast<std::size_t>(pad)])
    found[static_cast<std::size_t>(pad)] = "<pad>";
  const auto last = std::ranges::find_if(found.rbegin(), found.rend(),
                                         [&](const auto& piece) { return piece.has_value(); });
  const auto named = found.rend() - last;
  std::vector<std::string> pieces;
  for (auto& piece : found) {
    if (!piece && std::ssize(pieces) >= named)
      piece = concat("madeupword", std::ssize(pieces) - named);
    if (!piece)
      refuse_pieces(file, concat("no piece has the id ", pieces.size(), ", but the model has ",
                                 found.size(), " rows; copy the file again"));
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

std::int64_t id_of(const std::vector<std::string>& pieces, const std::string& name,
                   const fs::path& file) {
  for (std::size_t i = 0; i < pieces.size(); ++i)
    if (pieces[i] == name) return static_cast<std::int64_t>(i);
  throw FormatError(concat(file.string(), ": has no piece ", printable(name, 40),
                           ", which the tokenizer needs; take all files from one model"));
}

/// What both sides have in common.
struct MarianTokens {
  HuggingFaceJson config;
  AddedTokens added;
  std::int64_t pad = 0, eos = 0, start = 0;
};

Tokenizer marian_tokenizer(const fs::path& spm, const fs::path& vocabulary, std::int64_t rows,
                           const MarianTokens& tokens) {
  PieceTable table;
  table.rules = TextRules::marian;
  auto pieces = marian_mt_pieces(vocabulary, rows);
  put_added(pieces, tokens.added, vocabulary);
  table.pieces = without_gaps(std::move(pieces), tokens.pad, vocabulary);
  const auto name = [&](const char* key, const char* or_else) {
    return tokens.config.text(key, or_else);
  };
  const auto eos = id_of(table.pieces, name("eos_token", "</s>"), vocabulary);
  if (eos != tokens.eos)
    throw FormatError(concat(vocabulary.string(), ": the end token has the id ", eos,
                             ", but eos_token_id of the model is ", tokens.eos,
                             "; take all files from one model"));
  if (tokens.pad >= rows || tokens.start >= rows || tokens.pad < 0 || tokens.start < 0)
    throw FormatError(concat(vocabulary.string(), ": pad_token_id ", tokens.pad,
                             " or decoder_start_token_id ", tokens.start, " is outside its ", rows,
                             " rows; take all files from one model"));
  const auto unk = id_of(table.pieces, name("unk_token", "<unk>"), vocabulary);
  table.special = {.pad = tokens.pad, .unk = unk, .bos = tokens.start, .eos = eos};
  for (const auto id : {table.special.eos, table.special.unk,
                        id_of(table.pieces, name("pad_token", "<pad>"), vocabulary)})
    table.literals.push_back(static_cast<std::int32_t>(id));
  for (const auto& token : tokens.added.tokens) {
    const auto id = static_cast<std::int32_t>(id_of(table.pieces, token.text, vocabulary));
    if (std::ranges::find(table.literals, id) != table.literals.end()) continue;
    table.literals.push_back(id);
    if (token.is_special) table.not_text.push_back(id);
  }
  return Tokenizer::from_bytes(with_piece_table(table, read_regular_file(spm)), spm.string());
}

}  // namespace

Vocabulary marian_mt_vocabulary(const fs::path& folder, const HuggingFaceConfig& config,
                                std::int64_t source_rows, std::int64_t target_rows) {
  const MarianTokens tokens{.config = HuggingFaceJson(folder / "tokenizer_config.json"),
                            .added = added_tokens(folder, AddedTokensFirst::others),
                            .pad = config.id("pad_token_id"),
                            .eos = config.id("eos_token_id"),
                            .start = config.start_id()};
  const bool own = tokens.config.flag("separate_vocabs", false);
  const auto source =
      marian_tokenizer(folder / "source.spm", folder / "vocab.json", source_rows, tokens);
  const auto target =
      marian_tokenizer(folder / "target.spm", folder / (own ? "target_vocab.json" : "vocab.json"),
                       target_rows, tokens);
  const auto special = target.special();
  config.expect_no_text_start(special, target.piece(static_cast<std::int32_t>(special.bos)));
  config.warn_of_free_padding(special);
  return {.source = source, .target = target, .joint = false};
}

}  // namespace dragoman
