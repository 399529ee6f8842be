#include "dragoman/text/tokenizer.h"

#include "dragoman/core/concat.h"
#include "dragoman/core/error.h"
#include "dragoman/core/immortal.h"
#include "dragoman/core/regular_file.h"
#include "dragoman/text/piece_table.h"
#include "dragoman/text/sentencepiece_model.h"

#include <sentencepiece_processor.h>

#include <algorithm>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace dragoman {

struct Tokenizer::Model {
  std::string bytes;
  std::string_view sentencepiece;                               ///< a part of `bytes`
  std::optional<PieceTable> table;                              ///< of another system
  std::unordered_map<std::string_view, std::int32_t> ids = {};  ///< of the table's pieces
  std::vector<bool> is_not_text = {};                           ///< by id of the table
  sentencepiece::SentencePieceProcessor processor;
  SpecialIds special;
  PieceFacts facts;
  std::int64_t pieces = 0;
  std::int64_t vocab_size = 0;

  /// Whether `id` stands for a piece that text may hold. \throws ContractError
  bool is_text(std::int32_t id) const {
    if (id < 0 || id >= vocab_size)
      throw ContractError(
          concat("tokenizer: id ", id, " is outside the vocabulary of ", vocab_size));
    if (table) return !is_not_text[static_cast<std::size_t>(id)];
    return id < pieces && !processor.IsControl(id);
  }

  void take_table();
  std::int32_t id_in_table(std::string_view piece) const;
  std::vector<std::string> pieces_of(std::string_view text) const;
  std::vector<std::int32_t> ids_of(std::string_view text) const;
  std::string decode_by_table(std::span<const std::int32_t> given) const;
  std::string decode_by_table(const std::vector<std::string_view>& given) const;

  /// SentencePiece writes nothing for control pieces, but they separate the bytes on their sides.
  std::string decode_ids(std::span<const std::int32_t> given) const {
    std::vector<int> known;
    known.reserve(given.size());
    for (const auto id : given)
      if (is_text(id) || id < pieces) known.push_back(id);
    return processor.DecodeIds(known);
  }
};

namespace {

/// SentencePiece's status has another type in each generation of the library.
template <typename Status>
void expect_ok(const Status& status, std::string_view what) {
  if (!status.ok()) throw DataError(concat("tokenizer: ", what, ": ", status.ToString()));
}

std::string on_one_line(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

void expect_piece(int id, const std::string& place, std::string_view kind) {
  if (id < 0)
    throw FormatError(concat(place, ": has no ", kind,
                             " piece, which translation needs; "
                             "train one with: dragoman tokenize train"));
}

}  // namespace

/// Ids, sizes and special pieces are the table's.
void Tokenizer::Model::take_table() {
  special = table->special;
  vocab_size = pieces = std::ssize(table->pieces);
  for (std::size_t i = 0; i < table->pieces.size(); ++i)
    ids.emplace(table->pieces[i], static_cast<std::int32_t>(i));
  is_not_text.assign(table->pieces.size(), false);
  for (const auto id : {special.pad, special.unk, special.bos, special.eos})
    is_not_text[static_cast<std::size_t>(id)] = true;
  for (const auto id : table->not_text) is_not_text[static_cast<std::size_t>(id)] = true;
}

std::int32_t Tokenizer::Model::id_in_table(std::string_view piece) const {
  const auto found = ids.find(piece);
  return found == ids.end() ? static_cast<std::int32_t>(special.unk) : found->second;
}

std::vector<std::string> Tokenizer::Model::pieces_of(std::string_view text) const {
  const auto parts = table ? text_parts(text, *table) : std::vector{TextPart{text, false}};
  std::vector<std::string> all;
  for (const auto& part : parts) {
    if (part.is_piece) {
      all.emplace_back(part.text);
      continue;
    }
    std::vector<std::string> of_part;
    expect_ok(processor.Encode(part.text, &of_part), "a line cannot be encoded");
    std::ranges::move(of_part, std::back_inserter(all));
  }
  return all;
}

std::vector<std::int32_t> Tokenizer::Model::ids_of(std::string_view text) const {
  std::vector<std::int32_t> all;
  if (table) {
    for (const auto& piece : pieces_of(text)) all.push_back(id_in_table(piece));
    return all;
  }
  expect_ok(processor.Encode(text, &all), "a line cannot be encoded");
  for (auto& id : all)
    if (!is_text(id)) id = static_cast<std::int32_t>(special.unk);
  return all;
}

/// As the systems do whose tables these are: pieces that the model does not know are text, and
/// what is left of the marks of words are blanks.
std::string Tokenizer::Model::decode_by_table(std::span<const std::int32_t> given) const {
  std::vector<std::string_view> names;
  for (const auto id : given)
    if (is_text(id)) names.push_back(table->pieces[static_cast<std::size_t>(id)]);
  return decode_by_table(names);
}

std::string Tokenizer::Model::decode_by_table(const std::vector<std::string_view>& given) const {
  constexpr std::string_view mark = "\u2581";
  std::vector<std::string_view> names;
  for (const auto name : given) {
    const auto found = ids.find(name);
    if (found == ids.end() || is_text(found->second)) names.push_back(name);
  }
  auto text = processor.DecodePieces(names);
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
    text.replace(at, mark.size(), " ");
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Tokenizer::Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {
  if (model_->table) prefix_ = model_->table->prefix;
}

Tokenizer Tokenizer::with_prefix(std::vector<std::int32_t> ids) const {
  auto tokenizer = *this;
  tokenizer.prefix_ = std::move(ids);
  return tokenizer;
}

Tokenizer Tokenizer::load(const std::filesystem::path& file) {
  return from_bytes(read_regular_file(file), file.string());
}

Tokenizer Tokenizer::from_bytes(std::string bytes, const std::string& place) {
  auto model = std::make_shared<Model>();
  model->bytes = std::move(bytes);
  auto parts = tokenizer_parts(model->bytes, place);
  model->sentencepiece = parts.sentencepiece;
  model->table = std::move(parts.table);
  model->facts = check_sentencepiece_model(model->sentencepiece, place);
  auto& processor = model->processor;
  load_sentencepiece(processor, model->sentencepiece, place);
  expect_piece(processor.unk_id(), place, "unknown");
  if (model->table) {
    model->take_table();
    return Tokenizer(std::move(model));
  }
  expect_piece(processor.bos_id(), place, "begin of sentence");
  expect_piece(processor.eos_id(), place, "end of sentence");
  model->pieces = processor.GetPieceSize();
  const bool has_pad = processor.pad_id() >= 0;
  model->vocab_size = model->pieces + (has_pad ? 0 : 1);
  model->special = {.pad = has_pad ? processor.pad_id() : model->pieces,
                    .unk = processor.unk_id(),
                    .bos = processor.bos_id(),
                    .eos = processor.eos_id()};
  return Tokenizer(std::move(model));
}

std::string_view Tokenizer::own_tag(std::string_view text) const {
  const auto& table = model_->table;
  if (!table || table->rules == TextRules::plain) return {};
  const auto tag = leading_tag(text);
  return model_->ids.contains(tag) ? tag : std::string_view();
}

template <typename Item>
std::vector<Item> Tokenizer::with_prefix_items(std::vector<Item> prefix, std::vector<Item> of_text,
                                               std::string_view text) const {
  if (prefix.empty()) return of_text;
  const auto place = of_text.begin() + (own_tag(text).empty() ? 0 : 1);
  of_text.insert(place, std::make_move_iterator(prefix.begin()),
                 std::make_move_iterator(prefix.end()));
  return of_text;
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  expect_language();
  return with_prefix_items(prefix_, model_->ids_of(text), text);
}

const std::vector<std::int32_t>& Tokenizer::prefix() const { return prefix_; }

void Tokenizer::expect_language() const {
  if (!prefix_.empty() || languages().empty()) return;
  throw OptionsError(
      concat("the model translates between ", languages().size(),
             " languages, and none is chosen for this text; name both by --from and --to where the "
             "command has them, or give the run two by converting the model again with "
             "--source-language and --target-language"));
}

const LanguageIds& Tokenizer::languages() const {
  static const auto& none = immortal(LanguageIds());
  return model_->table ? model_->table->languages : none;
}

void Tokenizer::end_source(std::vector<std::int32_t>& ids) const {
  if (ends_sources() || ids.empty()) ids.push_back(static_cast<std::int32_t>(model_->special.eos));
}

bool Tokenizer::ends_sources() const { return !model_->table || model_->table->source_eos; }

std::vector<std::string> Tokenizer::pieces(std::string_view text) const {
  expect_language();
  std::vector<std::string> pieces;
  for (const auto id : prefix_) pieces.push_back(piece(id));
  return with_prefix_items(std::move(pieces), model_->pieces_of(text), text);
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  return on_one_line(model_->table ? model_->decode_by_table(ids) : model_->decode_ids(ids));
}

std::string Tokenizer::decode(const std::vector<std::string>& pieces) const {
  const std::vector<std::string_view> names(pieces.begin(), pieces.end());
  if (model_->table) return on_one_line(model_->decode_by_table(names));
  return on_one_line(model_->processor.DecodePieces(names));
}

std::string Tokenizer::piece(std::int32_t id) const {
  const bool is_text = model_->is_text(id);
  if (model_->table) return model_->table->pieces[static_cast<std::size_t>(id)];
  if (!is_text && id >= model_->pieces) return "<pad>";
  return model_->processor.IdToPiece(id);
}

std::int32_t Tokenizer::id(std::string_view piece) const {
  if (model_->table) return model_->id_in_table(piece);
  return model_->processor.PieceToId(piece);
}

std::optional<float> Tokenizer::score(std::int32_t id) const {
  if (!model_->is_text(id)) return std::nullopt;
  auto own = id;
  if (model_->table) {
    const auto& name = model_->table->pieces[static_cast<std::size_t>(id)];
    own = model_->processor.PieceToId(name);
    if (model_->processor.IdToPiece(own) != name) return std::nullopt;
  }
  if (!model_->facts.is_normal[static_cast<std::size_t>(own)]) return std::nullopt;
  return model_->processor.GetScore(own);
}

Segmentation Tokenizer::segmentation() const { return model_->facts.segmentation; }

std::int64_t Tokenizer::vocab_size() const { return model_->vocab_size; }

SpecialIds Tokenizer::special() const { return model_->special; }

const std::string& Tokenizer::bytes() const { return model_->bytes; }

std::string_view Tokenizer::sentencepiece() const { return model_->sentencepiece; }

}  // namespace dragoman
