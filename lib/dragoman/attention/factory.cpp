#include "dragoman/attention/factory.h"

#include "dragoman/attention/full.h"
#include "dragoman/attention/fused_torch.h"
#include "dragoman/attention/linear.h"
#include "dragoman/attention/local.h"
#include "dragoman/attention/longformer.h"
#include "dragoman/attention/low_rank.h"
#include "dragoman/attention/per_head.h"
#include "dragoman/attention/sparse.h"
#include "dragoman/attention/sparse_transformer.h"
#include "dragoman/attention/strided.h"
#include "dragoman/attention/tiled.h"
#include "dragoman/core/error.h"

#include <algorithm>
#include <utility>

namespace dragoman {

namespace {

using MadeAttention = std::shared_ptr<const Attention>;

template <typename PatternOfKind>
MadeAttention sparse(const PatternOfKind& pattern, GlobalPositions globals = {}) {
  return std::make_shared<const SparseAttention>(std::make_shared<const PatternOfKind>(pattern),
                                                 std::move(globals));
}

GlobalPositions globals_of(const HeadAttention& options) {
  return {options.global_positions, options.global_tokens};
}

}  // namespace

std::shared_ptr<const Attention> make_attention(const HeadAttention& options) {
  switch (options.kind) {
    case AttentionKind::full: return std::make_shared<FullAttention>(options.limit_mb);
    case AttentionKind::tiled: return std::make_shared<TiledAttention>(options.block);
    case AttentionKind::fused_torch: return std::make_shared<FusedTorchAttention>(options.limit_mb);
    case AttentionKind::local: return sparse(LocalPattern(options.radius));
    case AttentionKind::dilated: return sparse(LocalPattern(options.radius, options.dilation));
    case AttentionKind::strided: return sparse(StridedPattern(options.stride));
    case AttentionKind::strided_relative: return sparse(StridedRelativePattern(options.stride));
    case AttentionKind::sparse_strided: return sparse(SparseStridedPattern(options.stride));
    case AttentionKind::sparse_fixed:
      return sparse(SparseFixedPattern(options.stride, options.summary));
    case AttentionKind::global_local:
      return sparse(LocalPattern(options.radius), globals_of(options));
    case AttentionKind::longformer:
      return sparse(LongformerPattern(options.radius, options.dilation), globals_of(options));
    case AttentionKind::linear: return std::make_shared<LinearAttention>();
    case AttentionKind::low_rank:
      return std::make_shared<LowRankAttention>(options.rank, options.max_length);
  }
  throw ContractError("attention: unknown kind");
}

std::shared_ptr<const Attention> make_attention(const LayerAttention& options,
                                                std::int64_t num_heads) {
  std::vector<HeadAttention> kinds;
  std::vector<HeadGroup> groups;
  const auto heads = options.of_heads(num_heads);
  for (std::size_t i = 0; i < heads.size(); ++i) {
    const auto found = std::find(kinds.begin(), kinds.end(), heads[i]);
    const auto group = static_cast<std::size_t>(found - kinds.begin());
    if (found == kinds.end()) {
      kinds.push_back(heads[i]);
      groups.push_back({{}, make_attention(heads[i])});
    }
    groups[group].heads.push_back(static_cast<std::int64_t>(i));
  }
  if (groups.size() == 1) return groups.front().attention;
  return std::make_shared<PerHeadAttention>(std::move(groups));
}

}  // namespace dragoman
