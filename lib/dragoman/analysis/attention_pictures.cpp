#include "dragoman/analysis/attention_pictures.h"

#include "dragoman/analysis/corpus_pass.h"
#include "dragoman/core/concat.h"
#include "dragoman/core/log.h"

#include <ATen/ATen.h>

#include <utility>

namespace dragoman {

namespace {

/// \param layers [1, num_heads, query_len, key_len] each
AttentionMap map_of(AttentionPart kind, const std::vector<at::Tensor>& layers,
                    std::vector<std::string> queries, std::vector<std::string> keys) {
  const auto all = at::cat(layers).to(at::kCPU, at::kFloat).contiguous();
  const auto* first = all.const_data_ptr<float>();
  return {.kind = kind,
          .queries = std::move(queries),
          .keys = std::move(keys),
          .layers = all.size(0),
          .heads = all.size(1),
          .weights = {first, first + all.numel()}};
}

AttentionPicture picture_of(const LoadedRun& run, const LinePair& pair,
                            const AttentionRecord& record) {
  const auto example = encode_pair(run.vocabulary, pair);
  const auto source = pieces_of(run.vocabulary.source, example.source_ids);
  AttentionPicture picture = {.source = pair.source, .target = pair.target, .maps = {}};
  const auto add = [&](AttentionPart kind, const std::vector<std::string>& queries,
                       const std::vector<std::string>& keys) {
    const auto& layers = maps_of(record, kind);
    if (!layers.empty()) picture.maps.push_back(map_of(kind, layers, queries, keys));
  };
  add(AttentionPart::encoder, source, source);
  const auto written = pieces_of(run.vocabulary.target, example.target_ids);
  if (written.size() == 1) {  // only EOS
    log_warning(concat("\"", printable(pair.source, 40),
                       "\": the target is empty, and has no decoder or cross-attention to show"));
    return picture;
  }
  const auto bos = static_cast<std::int32_t>(run.vocabulary.target.special().bos);
  std::vector<std::string> read = {run.vocabulary.target.piece(bos)};
  read.insert(read.end(), written.begin(), written.end() - 1);
  add(AttentionPart::decoder, written, read);
  add(AttentionPart::cross, written, source);
  return picture;
}

}  // namespace

std::vector<AttentionPicture> attention_pictures(const LoadedRun& run,
                                                 std::span<const LinePair> pairs) {
  std::vector<AttentionPicture> pictures;
  for (const auto& pair : pairs)
    record_corpus(run, std::span(&pair, 1), [&](const RecordedBatch& batch) {
      pictures.push_back(picture_of(run, pair, batch.record));
    });
  return pictures;
}

}  // namespace dragoman
