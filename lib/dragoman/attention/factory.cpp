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

/// All that the program has to know of a kind with its options.
struct Kind {
  std::function<std::shared_ptr<const Attention>()> make;
  std::function<double(double len, double head_width)> keys;  ///< of a query
};

template <typename Exact, typename... Sizes>
Kind exact(Sizes... sizes) {
  return {[=] { return std::make_shared<Exact>(sizes...); },
          [](double len, double) { return FullAttention::keys_per_query(len); }};
}

template <typename PatternOfKind>
Kind sparse(const PatternOfKind& pattern, GlobalPositions globals = {}) {
  const auto attention = std::make_shared<const SparseAttention>(
      std::make_shared<const PatternOfKind>(pattern), std::move(globals));
  return {[attention] { return attention; },
          [attention](double len, double) { return attention->keys_per_query(len); }};
}

GlobalPositions globals_of(const HeadAttention& options) {
  return {options.global_positions, options.global_tokens};
}

Kind linear() {
  return {[] { return std::make_shared<LinearAttention>(); },
          [](double, double head_width) { return LinearAttention::keys_per_query(head_width); }};
}

Kind low_rank(std::int64_t rank, std::int64_t max_length) {
  return {[=] { return std::make_shared<LowRankAttention>(rank, max_length); },
          [rank](double, double) { return LowRankAttention::keys_per_query(rank); }};
}

Kind kind_of(const HeadAttention& options) {
  switch (options.kind) {
    case AttentionKind::full: return exact<FullAttention>(options.limit_mb);
    case AttentionKind::tiled: return exact<TiledAttention>(options.block);
    case AttentionKind::fused_torch: return exact<FusedTorchAttention>();
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
    case AttentionKind::linear: return linear();
    case AttentionKind::low_rank: return low_rank(options.rank, options.max_length);
  }
  throw ContractError("attention: unknown kind");
}

}  // namespace

std::shared_ptr<const Attention> make_attention(const HeadAttention& options) {
  return kind_of(options).make();
}

KeysPerQuery keys_per_query(const HeadAttention& options, double head_width) {
  return [keys = kind_of(options).keys, head_width](double len) { return keys(len, head_width); };
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
