#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace dragoman {

/// Added to the score of a key that may not be looked at. Finite, so that a row without a visible key
/// has no NaN, and lower than any score: the sum is rounded to this very number, and its exponential
/// to 0.
inline constexpr double hidden_score = -1e30;

/// What a query sees of its own sequence: all of it, or only what lies before and itself.
enum class Sight { whole, past };

/// Which keys each query may look at, in the form that the softmax wants. It is made once for a
/// batch and read by all layers. A default-constructed one lets every query see every key.
///
/// Where the mask is one of keys, of the past or of both, `keys` and `sight` say so: attentions that
/// never hold all pairs of queries and keys read these instead of `bias`.
struct AttentionMask {
  /// Added to the scores: 0, or so low that the weight becomes exactly 0. Broadcasts to
  /// [batch, num_heads, query_len, key_len]; float32, or float64 for such a model. Undefined = 0.
  at::Tensor bias;
  /// 1 for a query that sees some key, 0 for one that sees none and thus has to yield zeros.
  /// Broadcasts to [batch, num_heads, query_len, 1]. Undefined = every query sees some key.
  at::Tensor seeing;
  at::Tensor keys;             ///< [batch, key_len] bool, true = a real token. Undefined = all are
  Sight sight = Sight::whole;  ///< past: `bias`, if defined, hides what lies behind a query
  /// What stands at the keys' positions, [batch, key_len] int64, for attentions that look at certain
  /// pieces. Undefined = not told.
  at::Tensor tokens;

  /// \param allow bool, true = may be looked at; broadcasts to
  ///     [batch, num_heads, query_len, key_len]; undefined = everything may
  /// \param dtype type of the model's weights
  static AttentionMask from(const at::Tensor& allow, at::ScalarType dtype);

  /// \param mask [batch, key_len] bool, true = a real token; undefined = all are
  static AttentionMask of_keys(const at::Tensor& mask, at::ScalarType dtype);

  /// Sees what lies before and itself.
  static AttentionMask causal(std::int64_t len, const at::TensorOptions& options);

  /// `keys` and `sight` alone, without a number for each pair.
  /// \param keys [batch, key_len] bool; undefined = all are real
  static AttentionMask structured(const at::Tensor& keys, Sight sight);

  /// Whether `keys` and `sight` say all that `bias` does.
  bool is_structured() const { return !bias.defined() || keys.defined() || sight == Sight::past; }

  /// Whether `bias` says all that `keys` and `sight` do.
  bool is_dense() const { return bias.defined() || (!keys.defined() && sight == Sight::whole); }

  /// The same with `bias` and `seeing`.
  /// \param like gives type and device
  AttentionMask dense(std::int64_t query_len, std::int64_t key_len, const at::Tensor& like) const;

  /// Where a query may look, from either form: bool, broadcasts to [batch, num_heads, query_len,
  /// key_len]. Undefined = everywhere.
  at::Tensor allowed(std::int64_t query_len, std::int64_t key_len, const at::Device& device) const;

  /// Keeps these sentences. \param sentences [kept] int64
  void select_sentences(const at::Tensor& sentences);
};

}  // namespace dragoman
