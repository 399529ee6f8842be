#include "dragoman/attention/keys_per_query.h"

#include "dragoman/core/error.h"

#include <algorithm>

namespace dragoman {

namespace {

/// Sizes of a head's pattern.
struct PatternSizes {
  PatternSizes(const HeadAttention& options, StackSide side)
      : sides(side == StackSide::decoder ? 1.0 : 2.0),
        radius(static_cast<double>(options.radius)),
        dilation(static_cast<double>(options.dilation)),
        stride(static_cast<double>(options.stride)),
        summary(static_cast<double>(options.summary)),
        globals(static_cast<double>(options.global_positions.size())) {}

  /// A window, or every `step`-th of all positions.
  double window(double step, double len) const {
    return std::min(sides * radius + 1.0, len / step);
  }

  double sides;  ///< of a position that a window reaches to
  double radius, dilation, stride, summary, globals;
};

/// Those of a kind with a pattern, which may be more than there are.
double of_pattern(AttentionKind kind, const PatternSizes& of, double len) {
  switch (kind) {
    case AttentionKind::local: return of.window(1.0, len);
    case AttentionKind::dilated: return of.window(of.dilation, len);
    case AttentionKind::strided: return 1.0 + len / of.stride;
    case AttentionKind::strided_relative: return len / of.stride;
    // Only the past: half of the columns, and for the fixed pattern half of the block too.
    case AttentionKind::sparse_strided: return of.stride + len / of.stride / 2.0;
    case AttentionKind::sparse_fixed: return of.stride / 2.0 + of.summary * len / of.stride / 2.0;
    // A global position is seen by all and sees all, or by all that follow and all before.
    case AttentionKind::global_local: return of.window(1.0, len) + of.sides * of.globals;
    // One in `dilation` keys of the dilated window is also in the other.
    case AttentionKind::longformer:
      return of.window(1.0, len) + of.window(of.dilation, len) * (1.0 - 1.0 / of.dilation) +
             of.sides * of.globals;
    case AttentionKind::full:
    case AttentionKind::tiled:
    case AttentionKind::fused_torch:
    case AttentionKind::linear:
    case AttentionKind::low_rank: break;
  }
  throw ContractError("keys_per_query: this kind of attention has no pattern");
}

}  // namespace

KeysPerQuery keys_per_query(const HeadAttention& options, double d_k, double d_v, StackSide side) {
  if (is_exact(options.kind)) return [](double len) { return len; };
  if (options.kind == AttentionKind::linear)
    return [keys = (2.0 * d_k * d_v + d_k) / (d_k + d_v)](double) { return keys; };
  if (options.kind == AttentionKind::low_rank)
    return [rank = static_cast<double>(options.rank)](double) { return 2.0 * rank; };
  return [kind = options.kind, sizes = PatternSizes(options, side)](double len) {
    return std::min(of_pattern(kind, sizes, len), len);
  };
}

}  // namespace dragoman
