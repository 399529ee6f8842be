#pragma once

#include "dragoman/model/recurrent_state.h"

#include <functional>

namespace dragoman {

/// What a decoder layer may have in place of masked self-attention: it reads a sentence in order
/// and keeps a state of constant size. No position depends on later ones.
class Recurrence {
 public:
  /// The layer norm of a pre-norm layer, or nothing, [batch, len, d_model] -> the same shape.
  using Norm = std::function<at::Tensor(const at::Tensor&)>;

  virtual ~Recurrence() = default;

  /// A whole sentence.
  /// \param x [batch, len, d_model], not normalised
  /// \return [batch, len, d_model]
  virtual at::Tensor read(const at::Tensor& x, const Norm& norm) = 0;

  /// Advances each row by one token.
  /// \param x [rows, 1, d_model], not normalised
  /// \param state updated with the token
  /// \return [rows, 1, d_model]
  virtual at::Tensor read_next(const at::Tensor& x, const Norm& norm, RecurrentState& state) = 0;
};

}  // namespace dragoman
