#include "dragoman/model/embedding.h"

#include "dragoman/tensor/autocast.h"
#include "dragoman/tensor/dropout.h"
#include "dragoman/tensor/initialisation.h"
#include "dragoman/tensor/shape.h"

namespace dragoman {

EmbeddingImpl::EmbeddingImpl(const ModelOptions& options, std::int64_t vocab_size,
                             const PositionalEncoding& positions)
    : scale_(options.embedding_factor()),
      dropout_(options.embedding_dropout_rate()),
      weight_(register_parameter("weight", embedding_matrix(vocab_size, options.d_model))),
      positions_(positions) {}

torch::Tensor EmbeddingImpl::forward(const torch::Tensor& ids, const EmbeddingUse& use) {
  expect_shape("ids", ids, {"batch", "len"});
  const auto vectors = at::embedding(weight_, ids);
  const auto positions = positions_->forward(use.start, ids.size(1), weight_.options());
  torch::Tensor sum;
  if (use.first.defined() && use.start == 0) {
    sum = cut_off(with_first(vectors * scale_, use.first), use.kept);
    if (positions.defined()) sum = sum + positions;
  } else {
    const auto read = cut_off(vectors, use.kept);
    sum = positions.defined() ? at::add(positions, read, scale_) : read * scale_;
  }
  if (!use.norm.is_empty()) sum = use.norm->forward(sum);
  return dragoman::dropout(as_hidden_state(sum), dropout_, is_training());
}

torch::Tensor EmbeddingImpl::with_first(const torch::Tensor& scaled, const torch::Tensor& first) {
  const auto rows = first.to(scaled.scalar_type()).expand({scaled.size(0), 1, scaled.size(2)});
  return at::cat({rows, scaled.narrow(1, 1, scaled.size(1) - 1)}, 1);
}

torch::Tensor EmbeddingImpl::cut_off(const torch::Tensor& x, const torch::Tensor& kept) {
  return kept.defined() ? x * kept.to(x.scalar_type()).unsqueeze(2) : x;
}

}  // namespace dragoman
