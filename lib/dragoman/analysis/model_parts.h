#pragma once

#include "dragoman/core/error.h"
#include "dragoman/data/batch.h"
#include "dragoman/model/transformer.h"
#include "dragoman/report/attention_map.h"

#include <string>
#include <vector>

namespace dragoman {

/// A module of the model by its path, such as "encoder.layers.0.self_attention".
/// \throws ContractError if there is no module of this type.
template <typename Module>
Module& part(TransformerImpl& model, const std::string& place) {
  const auto modules = model.named_modules();
  const auto* found = modules.find(place);
  auto* module = found != nullptr ? (*found)->as<Module>() : nullptr;
  if (module == nullptr) throw ContractError("the model has no such part: " + place);
  return *module;
}

/// -log p of all targets of a batch by teacher forcing, summed, in nats: a scalar.
at::Tensor negative_log_likelihood(TransformerImpl& model, const Batch& batch);

/// One attention sub-layer.
struct AttentionSublayer {
  AttentionPart kind = AttentionPart::encoder;
  std::int64_t layer = 0;  ///< from 0
};

/// The stack whose options that kind of attention has.
StackSide side_of(AttentionPart kind);

/// The number of layers with attention of that kind: 0 if they are recurrent or convolutional.
std::int64_t attention_layers(const ModelOptions& options, AttentionPart kind);

/// All of them, layer by layer: encoder, then each decoder layer's self-attention and
/// encoder-decoder attention.
std::vector<AttentionSublayer> attention_sublayers(const ModelOptions& options);

/// The numbers, from 0, of its heads that have not been pruned.
std::vector<std::int64_t> remaining_heads(const ModelOptions& options,
                                          const AttentionSublayer& place);

/// A sentence stating which kinds of attention the layers lack and which they have; empty if none
/// is lacking.
std::string lacking_attention(const ModelOptions& options);

/// \throws OptionsError listing the available kinds if the layers have no attention of that kind.
void expect_attention(const ModelOptions& options, AttentionPart kind);

/// The source embedding, which may be shared with the target.
EmbeddingImpl& source_embedding(TransformerImpl& model);
EmbeddingImpl& target_embedding(TransformerImpl& model);

/// "encoder.layers.2."
std::string layer_place(const char* stack, std::int64_t layer);

/// "decoder.layers.2.memory_attention"
std::string attention_place(AttentionPart kind, std::int64_t layer);

/// The options of that kind of attention, for all layers.
const StackAttention& attention_options(const ModelOptions& options, AttentionPart kind);
StackAttention& attention_options(ModelOptions& options, AttentionPart kind);

}  // namespace dragoman
