#include "dragoman/model/embedding.h"

#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/initialisation.h"
#include "dragoman/tensor/shape.h"

#include <cmath>

namespace dragoman {

EmbeddingImpl::EmbeddingImpl(const ModelOptions& options, std::int64_t vocab_size,
                             const PositionalEncoding& positions)
    : scale_(options.embed_scale ? std::sqrt(static_cast<double>(options.d_model)) : 1.0),
      dropout_(options.embedding_dropout_rate()),
      weight_(register_parameter("weight", embedding_matrix(vocab_size, options.d_model))),
      positions_(positions) {}

torch::Tensor EmbeddingImpl::forward(const torch::Tensor& ids, std::int64_t start) {
  expect_shape("ids", ids, {"batch", "len"});
  const auto vectors = at::embedding(weight_, ids);
  const auto positions = positions_->forward(start, ids.size(1), weight_.options());
  const auto sum = positions.defined() ? at::add(positions, vectors, scale_) : vectors * scale_;
  return dragoman::dropout(sum, dropout_, is_training());
}

}  // namespace dragoman
