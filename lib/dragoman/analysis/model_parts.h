#pragma once

#include "dragoman/core/error.h"
#include "dragoman/model/transformer.h"
#include "dragoman/report/attention_map.h"

#include <string>

namespace dragoman {

/// A module of the model by its place, such as "encoder.layers.0.self_attention".
/// \throws ContractError if there is none of this type.
template <typename Module>
Module& part(TransformerImpl& model, const std::string& place) {
  const auto modules = model.named_modules();
  const auto* found = modules.find(place);
  auto* module = found != nullptr ? (*found)->as<Module>() : nullptr;
  if (module == nullptr) throw ContractError("the model has no such part: " + place);
  return *module;
}

/// \throws OptionsError if the layers of a side have no self-attention to be looked at.
void expect_self_attention(const ModelOptions& options);

/// The embedding of one side, which is one for both where they share it.
EmbeddingImpl& source_embedding(TransformerImpl& model);
EmbeddingImpl& target_embedding(TransformerImpl& model);

/// "encoder.layers.2."
std::string layer_place(const char* stack, std::int64_t layer);

/// "decoder.layers.2.memory_attention"
std::string attention_place(AttentionPart kind, std::int64_t layer);

/// The options of all layers' attention of that kind.
const StackAttention& attention_options(const ModelOptions& options, AttentionPart kind);

}  // namespace dragoman
