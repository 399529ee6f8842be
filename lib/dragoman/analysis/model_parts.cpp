#include "dragoman/analysis/model_parts.h"

namespace dragoman {

namespace {

bool has_joint_embedding(const TransformerImpl& model) {
  return model.options().share_embeddings == ShareEmbeddings::all;
}

}  // namespace

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
