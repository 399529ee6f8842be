#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

namespace dragoman {

/// Which keys each query may attend to, in the form that the softmax needs. It is computed once per
/// batch and read by all layers. A default-constructed mask lets every query see every key.
///
/// If the mask is a key mask, a causal mask or both, `key_mask` and `is_causal` describe it:
/// attentions that never materialise all pairs of queries and keys read these instead of `bias`.
///
///     made by       bias  seeing  key_mask  is_causal
///     from          x     x
///     of_keys       x     x       x
///     causal        x                       x
///     structured                  x         x, if asked
struct AttentionMask {
  /// Added to the scores: 0, or so low that the weight becomes exactly 0. Broadcasts to [batch,
  /// num_heads, query_len, key_len]; float32, or float64 for a float64 model. Undefined = 0.
  at::Tensor bias;
  /// 1 for a query that sees some key, 0 for one that sees none and thus must yield zeros.
  /// Broadcasts to [batch, num_heads, query_len, 1]. Undefined = every query sees some key.
  at::Tensor seeing;
  at::Tensor key_mask;  ///< [batch, key_len] bool, true = a real token. Undefined = all are
  /// A query sees itself and what precedes it, and `bias`, if defined, says so.
  bool is_causal = false;
  /// The ids at the keys' positions, [batch, key_len] int64, for attentions that treat certain
  /// pieces specially. Undefined = unknown.
  at::Tensor tokens;
  /// A place for what FusedTorchAttention makes of `bias` on a GPU, once for all layers. Copies
  /// share it, and are used by one thread at a time; who changes `bias` needs a new one.
  std::shared_ptr<at::Tensor> joined_bias;

  /// \param allow bool, true = may be attended to; broadcasts to [batch, num_heads, query_len,
  ///     key_len]; undefined = all true
  /// \param dtype type of the model's weights
  static AttentionMask from(const at::Tensor& allow, at::ScalarType dtype);

  /// \param mask [batch, key_len] bool, true = a real token; undefined = all are
  static AttentionMask of_keys(const at::Tensor& mask, at::ScalarType dtype);

  /// Each position sees itself and those before it. Nothing is hidden from a single one.
  static AttentionMask causal(std::int64_t len, const at::TensorOptions& options);

  /// Only `key_mask` and `is_causal`, without a value for each pair.
  /// \param key_mask [batch, key_len] bool; undefined = all are real
  static AttentionMask structured(const at::Tensor& key_mask, bool causal);

  /// Whether `key_mask` and `is_causal` fully describe `bias`.
  bool is_structured() const { return !bias.defined() || key_mask.defined() || is_causal; }

  /// Whether `key_mask` alone fully describes the mask.
  bool is_key_mask() const { return is_structured() && !is_causal; }

  /// Whether `bias` fully describes `key_mask` and `is_causal`.
  bool is_dense() const { return bias.defined() || (!key_mask.defined() && !is_causal); }

  /// The same mask with `bias` and `seeing`: `is_dense` holds. On a CPU, what hides nothing becomes
  /// a mask without them, `key_mask` and `is_causal`.
  /// \param like determines type and device
  AttentionMask dense(std::int64_t query_len, std::int64_t key_len, const at::Tensor& like) const;

  /// The allowed pairs, from either form: bool, broadcasts to [batch, num_heads, query_len,
  /// key_len]. Undefined = everywhere.
  at::Tensor allowed(std::int64_t query_len, std::int64_t key_len, const at::Device& device) const;

  /// Keeps these sentences of a key mask; `tokens` stay as they are. \param sentences [kept] int64
  void select_sentences(const at::Tensor& sentences);
};

}  // namespace dragoman
