#pragma once

#include "dragoman/attention/attention.h"
#include "dragoman/attention/global_positions.h"
#include "dragoman/attention/pattern.h"

#include <memory>

namespace dragoman {

/// Softmax over the keys of a pattern and over global positions: scaled dot-product attention in
/// which pairs far from the pattern's are never computed. Time and space are proportional to the
/// pairs of the blocks and columns that cover the pattern, a small multiple of its own.
///
/// If weights are requested, or the mask is not a combination of key mask and causal mask, it
/// computes all pairs and masks those that the pattern does not allow, as in the definition.
class SparseAttention : public Attention {
 public:
  explicit SparseAttention(std::shared_ptr<const Pattern> pattern, GlobalPositions globals = {});

  /// \throws ContractError if queries and keys differ in length: it is a self-attention.
  AttentionResult attend(const at::Tensor& query, const KeyValue& memory, const AttentionMask& mask,
                         const AttentionSettings& settings) const override;

  /// Reads the tokens of the past that the pattern or a global position allows.
  at::Tensor attend_past(const at::Tensor& query, const KeyValueCache& past,
                         const AttentionSettings& settings) const override;

  /// The definition as a matrix: bool, [1 or batch, 1, len, len], without the restrictions of
  /// `mask` itself.
  at::Tensor allowed(std::int64_t len, const AttentionMask& mask, const at::Device& device) const;

 private:
  std::shared_ptr<const Pattern> pattern_;
  GlobalPositions globals_;
};

}  // namespace dragoman
