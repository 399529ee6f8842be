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

}  // namespace dragoman
