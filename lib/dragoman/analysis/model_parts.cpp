#include "dragoman/analysis/model_parts.h"

namespace dragoman {

namespace {

bool has_joint_embedding(const TransformerImpl& model) {
  return model.options().share_embeddings == ShareEmbeddings::all;
}

}  // namespace

void expect_self_attention(const ModelOptions& options) {
  const auto refuse = [](const char* key, const auto& kind) {
    throw OptionsError(concat(key, ": the layers of this model are ", nlohmann::json(kind).dump(),
                              ", without self-attention that could be looked at; take a model with attention"));
  };
  if (!options.has_self_attention(StackSide::encoder)) refuse("model.encoder_layer", options.encoder_layer);
  if (!options.has_self_attention(StackSide::decoder)) refuse("model.decoder_layer", options.decoder_layer);
}

EmbeddingImpl& source_embedding(TransformerImpl& model) {
  return part<EmbeddingImpl>(model, has_joint_embedding(model) ? "embedding" : "source_embedding");
}

EmbeddingImpl& target_embedding(TransformerImpl& model) {
  return part<EmbeddingImpl>(model, has_joint_embedding(model) ? "embedding" : "target_embedding");
}

std::string layer_place(const char* stack, std::int64_t layer) {
  return concat(stack, ".layers.", layer, ".");
}

std::string attention_place(AttentionPart kind, std::int64_t layer) {
  return layer_place(kind == AttentionPart::encoder ? "encoder" : "decoder", layer) +
         (kind == AttentionPart::cross ? "memory_attention" : "self_attention");
}

const StackAttention& attention_options(const ModelOptions& options, AttentionPart kind) {
  switch (kind) {
    case AttentionPart::encoder: return options.encoder_attention;
    case AttentionPart::decoder: return options.decoder_attention;
    case AttentionPart::cross: return options.cross_attention;
  }
  throw ContractError("attention_options: no such kind");
}

}  // namespace dragoman
