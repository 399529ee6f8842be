#include "dragoman/convert/huggingface_vocabulary.h"

#include "dragoman/convert/huggingface_added_tokens.h"
#include "dragoman/convert/pieces_by_id.h"
#include "dragoman/convert/token_side.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/log.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/text/piece_table.h"

#include <unordered_set>
#include <vector>

namespace dragoman {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_pieces(const fs::path& file, const std::string& fact) {
  throw FormatError(concat(file.string(), ": ", fact));
}

/// Those that the vocabulary lacks. Both sides have them, with one id; special ones of the
/// vocabulary, such as padding, may have an id on each side.
void put_added(PiecesById& pieces, const AddedTokens& added, const fs::path& vocabulary) {
  for (const auto& token : added.tokens) {
    const auto known = pieces.find(token.text);
    if (!known)
      pieces.put(token.text, token.id, added.file);
    else if (!token.is_special && *known != token.id)
      refuse_pieces(added.file, concat("the token ", printable(token.text, 40), " has the id ",
                                       token.id, ", but in ", vocabulary.string(), " it is ",
                                       *known, "; keep one of the two"));
  }
}

/// Behind the last piece, rows that only fill the matrix up get names, as a reader of M2M100 names
/// them: `transformers` computes their logits too.
std::vector<std::string> without_gaps(const PiecesById& found, const fs::path& file) {
  std::vector<std::string> pieces;
  for (std::int64_t id = 0; id < found.rows(); ++id) {
    if (id >= found.end())
      pieces.push_back(concat("madeupword", id - found.end()));
    else if (found[id])
      pieces.push_back(*found[id]);
    else
      refuse_pieces(file, concat("no piece has the id ", id, ", but the model has ", found.rows(),
                                 " rows; copy the file again"));
  }
  return pieces;
}

/// What both sides have in common.
struct MarianTokens {
  HuggingFaceJson config, map;
  AddedTokens added;
  std::int64_t pad = 0, eos = 0, start = 0;
};

Tokenizer marian_tokenizer(const fs::path& spm, const fs::path& vocabulary, std::int64_t rows,
                           const MarianTokens& tokens) {
  PieceTable table;
  table.rules = TextRules::marian;
  PiecesById pieces(rows);
  for (const auto& [piece, id] : read_piece_ids(vocabulary)) pieces.put(piece, id, vocabulary);
  put_added(pieces, tokens.added, vocabulary);
  if (tokens.pad >= 0 && tokens.pad < rows && !pieces[tokens.pad])
    pieces.put("<pad>", tokens.pad, vocabulary);
  table.pieces = without_gaps(pieces, vocabulary);
  expect_pieces_of(load_splitter(spm), spm.string(), {vocabulary, table.pieces});
  const auto name = [&](const char* key, const char* or_else) {
    return tokens.config.token(key, tokens.map.token(key, or_else));
  };
  const auto eos = pieces.id_of(name("eos_token", "</s>"), vocabulary);
  if (eos != tokens.eos)
    throw FormatError(concat(vocabulary.string(), ": the end token has the id ", eos,
                             ", but eos_token_id of the model is ", tokens.eos,
                             "; take all files from one model"));
  if (tokens.pad >= rows || tokens.start >= rows || tokens.pad < 0 || tokens.start < 0)
    throw FormatError(concat(vocabulary.string(), ": pad_token_id ", tokens.pad,
                             " or decoder_start_token_id ", tokens.start, " is outside its ", rows,
                             " rows; take all files from one model"));
  const auto unk = pieces.id_of(name("unk_token", "<unk>"), vocabulary);
  table.special = {.pad = tokens.pad, .unk = unk, .bos = tokens.start, .eos = eos};
  for (const auto id :
       {table.special.eos, table.special.unk, pieces.id_of(name("pad_token", "<pad>"), vocabulary)})
    table.literals.push_back(static_cast<std::int32_t>(id));
  std::unordered_set<std::int32_t> literals(table.literals.begin(), table.literals.end());
  for (const auto& token : tokens.added.tokens) {
    const auto id = static_cast<std::int32_t>(pieces.id_of(token.text, vocabulary));
    if (!literals.insert(id).second) continue;
    table.literals.push_back(id);
    if (token.is_special) table.not_text.push_back(id);
  }
  return Tokenizer::from_bytes(with_piece_table(table, read_regular_file(spm)), spm.string());
}

}  // namespace

Vocabulary marian_mt_vocabulary(const fs::path& folder, const HuggingFaceConfig& config,
                                std::int64_t source_rows, std::int64_t target_rows) {
  const MarianTokens tokens{.config = HuggingFaceJson(folder / "tokenizer_config.json"),
                            .map = HuggingFaceJson(folder / "special_tokens_map.json"),
                            .added = added_tokens(folder, AddedTokensFirst::others),
                            .pad = config.id("pad_token_id"),
                            .eos = config.id("eos_token_id"),
                            .start = config.start_id()};
  tokens.config.expect_plain_tokenizer();
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
