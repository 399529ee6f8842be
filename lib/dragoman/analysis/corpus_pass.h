#pragma once

#include "dragoman/analysis/model_parts.h"
#include "dragoman/data/batch.h"
#include "dragoman/data/buckets.h"
#include "dragoman/model/attention_record.h"
#include "dragoman/run/loaded_run.h"
#include "dragoman/text/example.h"

#include <torch/nn.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace dragoman {

/// Both sides as ids with EOS, which sources of some converted models do not have.
Example encode_pair(const Vocabulary& vocabulary, const LinePair& pair);
std::vector<Example> encode_pairs(const Vocabulary& vocabulary, std::span<const LinePair> pairs);

/// The pieces of a text, without those that the tokenizer puts in front of every one: languages.
std::vector<std::string> text_pieces(const Tokenizer& tokenizer, const std::string& text);

/// The ids as pieces.
std::vector<std::string> pieces_of(const Tokenizer& tokenizer,
                                   const std::vector<std::int32_t>& ids);

/// A batch of pairs under teacher forcing, with all attention weights of its forward pass, on the
/// CPU wherever the model is.
struct RecordedBatch {
  BatchIndices pairs;  ///< index in the corpus of each row
  Batch data;
  AttentionRecord record;
};

/// The weights of one kind, [batch, num_heads, query_len, key_len] per layer; empty if the layers
/// have no such attention.
const std::vector<at::Tensor>& maps_of(const AttentionRecord& record, AttentionPart kind);

/// Those of some heads of a sub-layer, [batch, heads, query_len, key_len].
at::Tensor weights_of(const AttentionRecord& record, const AttentionSublayer& place,
                      const std::vector<std::int64_t>& heads);

/// Which queries, and which keys, of a kind are real tokens: [batch, len] bool each.
const at::Tensor& query_mask(const Batch& batch, AttentionPart kind);
const at::Tensor& key_mask(const Batch& batch, AttentionPart kind);

/// Runs the model over all pairs, in batches of similar length, without gradients.
void record_corpus(const LoadedRun& run, std::span<const LinePair> pairs,
                   const std::function<void(const RecordedBatch&)>& visit);

}  // namespace dragoman
