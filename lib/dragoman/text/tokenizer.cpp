#include "dragoman/text/tokenizer.h"

#include "dragoman/core/error.h"
#include "dragoman/core/file.h"

#include <sentencepiece_processor.h>

#include <utility>

namespace dragoman {

struct Tokenizer::Model {
  std::string bytes;
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
    return id < pieces && !processor.IsControl(id);
  }
};

namespace {

/// SentencePiece's status has another type in each generation of the library.
template <typename Status>
void expect_ok(const Status& status, std::string_view what) {
  if (!status.ok()) throw DataError(concat("tokenizer: ", what, ": ", status.ToString()));
}

void expect_piece(int id, const std::string& place, std::string_view kind) {
  if (id < 0)
    throw FormatError(concat(place, ": has no ", kind,
                             " piece, which translation needs; "
                             "train one with: dragoman tokenize train"));
}

}  // namespace

Tokenizer::Tokenizer(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

Tokenizer Tokenizer::load(const std::filesystem::path& file) {
  return from_bytes(read_file(file), file.string());
}

Tokenizer Tokenizer::from_bytes(std::string bytes, const std::string& place) {
  auto model = std::make_shared<Model>();
  model->facts = check_sentencepiece_model(bytes, place);
  auto& processor = model->processor;
  const auto status = processor.LoadFromSerializedProto(bytes);
  if (!status.ok())
    throw FormatError(concat(place, ": is not a usable SentencePiece model: ", status.ToString(),
                             "; get the file again"));
  expect_piece(processor.unk_id(), place, "unknown");
  expect_piece(processor.bos_id(), place, "begin of sentence");
  expect_piece(processor.eos_id(), place, "end of sentence");
  model->bytes = std::move(bytes);
  model->pieces = processor.GetPieceSize();
  const bool has_pad = processor.pad_id() >= 0;
  model->vocab_size = model->pieces + (has_pad ? 0 : 1);
  model->special = {.pad = has_pad ? processor.pad_id() : model->pieces,
                    .unk = processor.unk_id(),
                    .bos = processor.bos_id(),
                    .eos = processor.eos_id()};
  return Tokenizer(std::move(model));
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  expect_ok(model_->processor.Encode(text, &ids), "a line cannot be encoded");
  for (auto& id : ids)
    if (!model_->is_text(id)) id = static_cast<std::int32_t>(model_->special.unk);
  return ids;
}

std::vector<std::string> Tokenizer::pieces(std::string_view text) const {
  std::vector<std::string> pieces;
  expect_ok(model_->processor.Encode(text, &pieces), "a line cannot be encoded");
  return pieces;
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::vector<int> kept;
  kept.reserve(ids.size());
  for (const auto id : ids)
    if (model_->is_text(id)) kept.push_back(id);
  auto text = model_->processor.DecodeIds(kept);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  return text;
}

std::string Tokenizer::piece(std::int32_t id) const {
  if (!model_->is_text(id) && id >= model_->pieces) return "<pad>";
  return model_->processor.IdToPiece(id);
}

std::int32_t Tokenizer::id(std::string_view piece) const {
  return model_->processor.PieceToId(piece);
}

std::optional<float> Tokenizer::score(std::int32_t id) const {
  if (!model_->is_text(id) || !model_->facts.is_normal[static_cast<std::size_t>(id)])
    return std::nullopt;
  return model_->processor.GetScore(id);
}

Segmentation Tokenizer::segmentation() const { return model_->facts.segmentation; }

std::int64_t Tokenizer::vocab_size() const { return model_->vocab_size; }

SpecialIds Tokenizer::special() const { return model_->special; }

const std::string& Tokenizer::bytes() const { return model_->bytes; }

}  // namespace dragoman
