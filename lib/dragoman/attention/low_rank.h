#pragma once

#include "dragoman/attention/attention.h"

#include <cstdint>

namespace dragoman {

/// Attention over a fixed number of projected keys (Wang et al. 2020, "Linformer"): softmax(Q
/// (E K)^T * scale) (F V), where E and F [rank, max_length] are learned, shared by all heads, and
/// project along the sequence. Keys and values of padding are zero. Costs len rank pairs. For
/// encoders only: each projected key contains later tokens.
///
/// The softmax is taken over the projected keys. The weight of each position's value is
/// softmax(..) F, by associativity of the matrix product: these weights may be negative and need
/// not sum to 1.
class LowRankAttention : public Attention {
 public:
  /// Draws E and F, normal with variance 1 / max_length.
  /// \param rank projected keys: k of the paper
  /// \param max_length maximum tokens of a sentence
  LowRankAttention(std::int64_t rank, std::int64_t max_length);

  /// E as "key_mixtures" and F as "value_mixtures", each [rank, max_length].
  std::vector<AttentionWeight> weights() const override;

  /// \return weights softmax(..) F of the positions; 0 at padding
  /// \throws DataError for a sequence longer than `max_length`.
  /// \throws ContractError if the mask is not a key mask.
  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;

 private:
  at::Tensor key_mixtures_, value_mixtures_;
};

}  // namespace dragoman
