#include "dragoman/analysis/corpus_pass.h"

#include "dragoman/data/buckets.h"
#include "dragoman/tensor/device.h"

#include <utility>

namespace dragoman {

namespace {

std::vector<std::int32_t> ids_with_eos(const Tokenizer& tokenizer, const std::string& text) {
  auto ids = tokenizer.encode(text);
  ids.push_back(static_cast<std::int32_t>(tokenizer.special().eos));
  return ids;
}

void move_to_host(AttentionRecord& record) {
  for (auto* maps : {&record.encoder_self, &record.decoder_self, &record.cross})
    for (auto& map : *maps) map = map.cpu();
}

}  // namespace

Example encode_pair(const Vocabulary& vocabulary, const LinePair& pair) {
  auto source = vocabulary.source.encode(pair.source);
  vocabulary.source.end_source(source);
  return {.source_ids = std::move(source),
          .target_ids = ids_with_eos(vocabulary.target, pair.target)};
}

std::vector<Example> encode_pairs(const Vocabulary& vocabulary, std::span<const LinePair> pairs) {
  std::vector<Example> examples;
  for (const auto& pair : pairs) examples.push_back(encode_pair(vocabulary, pair));
  return examples;
}

std::vector<std::string> text_pieces(const Tokenizer& tokenizer, const std::string& text) {
  auto pieces = tokenizer.pieces(text);
  pieces.erase(pieces.begin(), pieces.begin() + std::ssize(tokenizer.prefix()));
  return pieces;
}

std::vector<std::string> pieces_of(const Tokenizer& tokenizer,
                                   const std::vector<std::int32_t>& ids) {
  std::vector<std::string> pieces;
  for (const auto id : ids) pieces.push_back(tokenizer.piece(id));
  return pieces;
}

const std::vector<at::Tensor>& maps_of(const AttentionRecord& record, AttentionPart kind) {
  switch (kind) {
    case AttentionPart::encoder: return record.encoder_self;
    case AttentionPart::decoder: return record.decoder_self;
    case AttentionPart::cross: break;
  }
  return record.cross;
}

at::Tensor weights_of(const AttentionRecord& record, const AttentionSublayer& place,
                      const std::vector<std::int64_t>& heads) {
  const auto& weights = maps_of(record, place.kind)[static_cast<std::size_t>(place.layer)];
  return weights.index_select(1, numbers_on(weights.device(), heads));
}

const at::Tensor& query_mask(const Batch& batch, AttentionPart kind) {
  return kind == AttentionPart::encoder ? batch.source_mask : batch.target_mask;
}

const at::Tensor& key_mask(const Batch& batch, AttentionPart kind) {
  return kind == AttentionPart::decoder ? batch.target_mask : batch.source_mask;
}

void record_corpus(const LoadedRun& run, std::span<const LinePair> pairs,
                   const std::function<void(const RecordedBatch&)>& visit) {
  constexpr std::int64_t batch_tokens = 2048;  // padded positions
  const torch::NoGradGuard no_gradient;
  const auto examples = encode_pairs(run.vocabulary, pairs);
  auto model = run.model;
  for (const auto& indices : length_batches(examples, batch_tokens)) {
    RecordedBatch batch{.pairs = indices,
                        .data = make_batch(examples, indices, run.vocabulary.source.special(),
                                           run.vocabulary.target.special()),
                        .record = {}};
    const auto data = on_device(batch.data, device_of(*model));
    const auto memory = model->encode(data.source, data.source_mask, &batch.record);
    model->decode(data.target_input, memory, data.source_mask, &batch.record);
    move_to_host(batch.record);
    visit(batch);
  }
}

}  // namespace dragoman
