#pragma once

#include <ATen/core/Tensor.h>

namespace dragoman {

/// Which keys each query may look at, in the form that the softmax wants. It is made once for a
/// batch and read by all layers. A default-constructed one lets every query see every key.
struct AttentionMask {
  /// Added to the scores: 0, or so low that the weight becomes exactly 0. Broadcasts to
  /// [batch, num_heads, query_len, key_len]; float32, or float64 for such a model. Undefined = 0.
  at::Tensor bias;
  /// 1 for a query that sees some key, 0 for one that sees none and thus has to yield zeros.
  /// Broadcasts to [batch, num_heads, query_len, 1]. Undefined = every query sees some key.
  at::Tensor seeing;

  /// \param allow bool, true = may be looked at; broadcasts to
  ///     [batch, num_heads, query_len, key_len]; undefined = everything may
  /// \param dtype type of the model's weights
  static AttentionMask from(const at::Tensor& allow, at::ScalarType dtype);

  /// \param mask [batch, key_len] bool, true = a real token; undefined = all are
  static AttentionMask of_keys(const at::Tensor& mask, at::ScalarType dtype);

  /// Sees what lies before and itself.
  static AttentionMask causal(std::int64_t len, const at::TensorOptions& options);

  /// Keeps these sentences. \param sentences [kept] int64
  void select_sentences(const at::Tensor& sentences);
};

}  // namespace dragoman
